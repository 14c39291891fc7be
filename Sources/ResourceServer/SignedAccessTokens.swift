// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore
public import OAuthSystem
import StrictJSON

/// Validates JWT access tokens with the keys of the issuer (RFC 9068 section 4).
public struct SignedAccessTokens: AccessTokenReader {
    private let validation: JWTValidation
    private let keys: any JWKSetSource
    private let signatures: (any SignatureVerifier)?

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the guard.
    ///   - keys: The source of the issuer's keys.
    public init(_ configuration: GuardConfiguration, keys: any JWKSetSource) {
        validation = .accessToken(
            issuer: configuration.issuer,
            audience: configuration.audience,
            algorithms: configuration.tokenAlgorithms,
            leeway: configuration.leeway
        )
        self.keys = keys
        signatures = configuration.signatures
    }

    /// The claims of a token that is valid now, for this API.
    ///
    /// - Parameters:
    ///   - accessToken: The token as it was received.
    ///   - now: The current time.
    /// - Returns: Its claims; `nil` for a token that is not valid.
    /// - Throws: An error of the source of keys; `CancellationError` if the task was cancelled while the signature
    ///   waited in a batch.
    public func claims(of accessToken: String, at now: Timestamp) async throws -> JWTClaims? {
        guard let jws = try? CompactJWS(parsing: accessToken) else { return nil }
        let keySet = try await keys.keySet(forKeyID: jws.header["kid"]?.stringValue)
        do {
            return try await validation.validate(accessToken, with: keySet, at: now, verifier: signatures)
        } catch is JOSEError {
            return nil
        }
    }
}
