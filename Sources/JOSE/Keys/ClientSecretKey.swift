// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
public import OAuthSystem
public import StrictJSON

/// A client secret as the key of `client_secret_jwt` assertions (OpenID Connect Core section 9).
///
/// It creates and verifies HMACs with exactly one algorithm. No conversion exists between this type and ``JWK``, so a
/// public key cannot be used as a secret, and a secret cannot be published as a key.
public struct ClientSecretKey: Sendable, RedactedSecret {
    /// The only algorithm of the key.
    public let algorithm: MACAlgorithm
    private let key: HMACKey

    /// Creates a key from a client secret.
    ///
    /// - Parameters:
    ///   - secret: The bytes of the secret, in UTF-8 if it is a text. At least 32 for HS256, 48 for HS384, 64 for
    ///     HS512.
    ///   - algorithm: The HMAC algorithm.
    /// - Throws: ``JOSEError`` – ``JOSEError/Code/malformedKey`` if the secret is too short (RFC 7518 section 3.2).
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

    /// Creates a JWS with an HMAC.
    ///
    /// - Parameters:
    ///   - header: The protected header. The key sets `alg`.
    ///   - payload: The bytes to protect.
    /// - Returns: The message in compact serialization (RFC 7515 section 3.1).
    public func authenticate(header: JSONObject, payload: [UInt8]) -> String {
        var header = header
        header["alg"] = .string(algorithm.rawValue)
        let input = "\(Base64URL.encode(JSONValue.object(header).encoded())).\(Base64URL.encode(payload))"
        return "\(input).\(Base64URL.encode(key.authenticationCode(for: Array(input.utf8))))"
    }

    /// Verifies the HMAC of a message in constant time.
    ///
    /// - Parameter message: The message; its `alg` must equal that of the key.
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
