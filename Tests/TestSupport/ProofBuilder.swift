// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import StrictJSON

/// A DPoP proof whose parts can all be made invalid before it is signed.
///
/// It does not use the code that makes proofs, so that each is checked against the other.
public struct ProofBuilder: Sendable {
    /// The key that signs; the header names its key separately.
    public var signer: SoftwareSigningKey
    /// The header: `typ`, `alg` and `jwk`.
    public var header: JSONObject
    /// The claims: `jti`, `htm`, `htu` and `iat`, and those that a test adds.
    public var claims: JSONObject

    /// Makes a valid proof.
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

    /// Signs the proof in its current state.
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
