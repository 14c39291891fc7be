// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
public import OAuthSystem
public import StrictJSON

/// A client's secret as the key of its assertions: `client_secret_jwt` (OpenID Connect Core section 9).
///
/// It makes and checks codes with HMAC and one algorithm. Nothing converts between this type and ``JWK``: a public key
/// can never be taken for a secret, nor a secret be published.
public struct ClientSecretKey: Sendable, RedactedSecret {
    /// The one algorithm of the key.
    public let algorithm: MACAlgorithm
    private let key: HMACKey

    /// Takes a secret.
    ///
    /// - Parameters:
    ///   - secret: The bytes of the secret; of a text, its UTF-8. At least 32 for HS256, 48 for HS384, 64 for HS512.
    ///   - algorithm: What the codes are made with.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedKey`` when the secret is too short (RFC 7518 section 3.2).
    public init(secret: [UInt8], algorithm: MACAlgorithm) throws(JOSEError) {
        guard secret.count >= algorithm.minimumSecretCount else {
            throw JOSEError(
                .malformedKey,
                "a secret for \(algorithm) must have at least \(algorithm.minimumSecretCount) bytes"
            )
        }
        self.algorithm = algorithm
        key = HMACKey(secret, hash: algorithm.hash)
    }

    /// Makes a message with a code.
    ///
    /// - Parameters:
    ///   - header: The protected header; `alg` is set from the key.
    ///   - payload: The bytes to protect.
    /// - Returns: The message in compact serialization (RFC 7515 section 3.1).
    public func authenticate(header: JSONObject, payload: [UInt8]) -> String {
        var header = header
        header["alg"] = .string(algorithm.rawValue)
        let input = "\(Base64URL.encode(JSONValue.object(header).encoded())).\(Base64URL.encode(payload))"
        return "\(input).\(Base64URL.encode(key.authenticationCode(for: Array(input.utf8))))"
    }

    /// Checks the code of a message, in a time that does not tell where a wrong one differs.
    ///
    /// - Parameter message: The message; its `alg` must be the one of the key.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/algorithmNotAllowed``, ``JOSEError/Code/invalidSignature``.
    public func verify(_ message: CompactJWS) throws(JOSEError) {
        guard message.algorithm.rawValue.isIdentical(to: algorithm.rawValue) else {
            throw JOSEError(.algorithmNotAllowed, "the algorithm of the token is not that of the client's secret")
        }
        guard key.isValidAuthenticationCode(message.signature, for: message.signingInput) else {
            throw JOSEError(.invalidSignature, "the code does not verify")
        }
    }
}
