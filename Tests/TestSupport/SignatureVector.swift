// SPDX-License-Identifier: Apache-2.0

import Foundation
public import JOSE
public import StrictJSON

/// A token at the limit of validity, made by `scripts/make-vectors`; see `Vectors/README.md`.
public struct SignatureVector: Sendable, CustomStringConvertible {
    /// The result that a strict verifier must have for a token and its key.
    public enum Outcome: String, Sendable {
        /// The key signed the token.
        case accepted
        /// The key is valid, but did not make this signature.
        case signature
        /// The key must be rejected.
        case key
        /// One of the two rejections.
        case refused
    }

    /// What is special about it.
    public let description: String
    /// The algorithm.
    public let algorithm: SignatureAlgorithm
    /// The key as in the file; it may be invalid.
    public let jwk: JSONObject
    /// The compact serialization.
    public let jws: String
    /// The expected result.
    public let outcome: Outcome

    /// The tokens of an algorithm; empty if the file cannot be read, so check the count.
    ///
    /// - Parameter algorithm: The algorithm.
    /// - Returns: Its tokens.
    public static func all(of algorithm: SignatureAlgorithm) -> [SignatureVector] {
        all.filter { $0.algorithm == algorithm }
    }

    private static let all = read()

    private static func read() -> [SignatureVector] {
        guard let url = Bundle.module.url(forResource: "signatures", withExtension: "json"),
            let data = try? Data(contentsOf: url),
            let document = try? JSONValue(parsing: Array(data), limits: JSONLimits(maximumSize: 1 << 22)).objectValue,
            let keys = document["keys"]?.arrayValue?.map(\.objectValue), let cases = document["cases"]?.arrayValue
        else { return [] }
        return cases.compactMap { value in
            guard let object = value.objectValue, case .number(let index)? = object["key"],
                let jwk = index.integer.flatMap({ keys[Int($0)] }), let name = object["class"]?.stringValue,
                let algorithm = object["alg"]?.stringValue, let jws = object["jws"]?.stringValue,
                let outcome = object["outcome"]?.stringValue.flatMap(Outcome.init)
            else { return nil }
            return SignatureVector(
                description: name,
                algorithm: SignatureAlgorithm(rawValue: algorithm),
                jwk: jwk,
                jws: jws,
                outcome: outcome
            )
        }
    }
}
