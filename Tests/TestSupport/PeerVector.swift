// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
public import StrictJSON

/// A token that another implementation signed; see `Vectors/README.md`.
public struct PeerVector: Sendable, CustomStringConvertible {
    /// The public key of the signer.
    public let jwk: JSONObject
    /// The compact serialization.
    public let jws: String
    /// The private key in the form of `SoftwareSigningKey`; empty for a token that must be rejected.
    public let privateKey: [UInt8]
    /// The algorithm, or why the token must be rejected.
    public let description: String

    /// The tokens to accept, one for each algorithm; empty if the file cannot be read, so check the count.
    public static let accepted = read("accepted", describedBy: "alg")
    /// The tokens to reject; empty if the file cannot be read, so check the count.
    public static let refused = read("refused", describedBy: "why")

    private static func read(_ name: String, describedBy description: String) -> [PeerVector] {
        guard let url = Bundle.module.url(forResource: "peers", withExtension: "json"),
            let data = try? Data(contentsOf: url),
            let document = try? JSONValue(parsing: Array(data), limits: JSONLimits(maximumSize: 1 << 20)),
            let values = document.objectValue?[name]?.arrayValue
        else { return [] }
        return values.compactMap { value in
            guard let object = value.objectValue, let jwk = object["jwk"]?.objectValue,
                let jws = object["jws"]?.stringValue, let text = object[description]?.stringValue
            else { return nil }
            let privateKey = try? Base64URL.decode(object["privateKey"]?.stringValue ?? "")
            return PeerVector(jwk: jwk, jws: jws, privateKey: privateKey ?? [], description: text)
        }
    }
}
