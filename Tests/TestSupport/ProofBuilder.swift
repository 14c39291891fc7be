// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import StrictJSON

/// A DPoP proof of which every part can be made wrong before it is signed.
///
/// It is written without the code that makes proofs, so that both are checked against each other.
public struct ProofBuilder: Sendable {
    /// Who signs; the header names the key apart from this.
    public var signer: SoftwareSigningKey
    /// The header: `typ`, `alg` and `jwk`.
    public var header: JSONObject
    /// The claims: `jti`, `htm`, `htu` and `iat`, and what a test adds.
    public var claims: JSONObject

    /// Makes a proof that is right.
    ///
    /// - Parameters:
    ///   - key: The key of the client.
    ///   - method: `htm`.
    ///   - uri: `htu`.
    ///   - time: `iat`.
    ///   - jti: `jti`.
    public init(
        key: SoftwareSigningKey,
        method: String,
        uri: String,
        at time: Timestamp,
        jti: String = "-BwC3ESc6acc2lTc"
    ) {
        signer = key
        header = ["typ": "dpop+jwt", "alg": .string(key.algorithm.rawValue), "jwk": .object(key.publicKey.json)]
        claims = [
            "jti": .string(jti), "htm": .string(method), "htu": .string(uri),
            "iat": .number(JSONNumber(time.secondsSince1970)),
        ]
    }

    /// Signs the proof as it stands.
    ///
    /// - Returns: The compact serialization.
    /// - Throws: The error of the key.
    public func signed() async throws -> String {
        try await RawJWS.sign(
            header: JSONValue.object(header).encoded(),
            payload: JSONValue.object(claims).encoded(),
            with: signer
        )
    }
}
