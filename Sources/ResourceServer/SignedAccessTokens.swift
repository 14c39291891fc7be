// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore
import OAuthCrypto
public import OAuthSystem
import StrictJSON

/// Validates JWT access tokens with the keys of the issuer (RFC 9068 section 4).
///
/// ``GuardConfiguration/tokenProfile`` says which JWTs these are.
///
/// Tokens whose signature was verified are cached for up to five minutes, at most
/// ``GuardConfiguration/rememberedTokens`` of them. Everything but the signature is checked for each request: the
/// times, the audience, the issuer, and that the issuer still publishes the key.
public struct SignedAccessTokens: AccessTokenReader {
    private let profile: AccessTokenProfile
    private let validation: JWTValidation
    private let keys: any JWKSetSource
    private let signatures: (any SignatureVerifier)?
    private let memory: TokenTable<Remembered>
    private let hits: Counter

    private struct Remembered: Sendable {
        let token: VerifiedJWT
        let since: Timestamp
    }

    /// How long the result of verifying a signature is used.
    private static let memoryLifetime: Duration = .seconds(300)

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the guard.
    ///   - keys: The source of the issuer's keys.
    public init(_ configuration: GuardConfiguration, keys: any JWKSetSource) {
        profile = configuration.tokenProfile
        validation = profile.validation(configuration)
        self.keys = keys
        signatures = configuration.signatures
        memory = TokenTable(capacity: configuration.rememberedTokens)
        hits = Counter()
    }

    /// How many tokens are cached.
    public var rememberedCount: Int { memory.count }
    /// How many signature verifications the cache has saved since the start.
    public var rememberedHits: Int { hits.value }

    /// The claims of a token that is valid now, for this API.
    ///
    /// - Parameters:
    ///   - accessToken: The token as it was received.
    ///   - now: The current time.
    /// - Returns: Its claims; `nil` for a token that is not valid.
    /// - Throws: An error of the source of keys; `CancellationError` if the task was cancelled while the signature
    ///   waited in a batch.
    public func claims(of accessToken: String, at now: Timestamp) async throws -> JWTClaims? {
        // Longer tokens are not hashed either.
        guard accessToken.utf8.count <= validation.maximumLength else { return nil }
        let digest = TokenTable<Remembered>.digest(of: accessToken)
        if let remembered = remembered(digest, at: now) {
            let keySet = try await keys.keySet(forKeyID: remembered.token.keyID)
            hits.add()
            return try? validation.validate(again: remembered.token, with: keySet, at: now)
        }
        guard let jws = try? CompactJWS(parsing: accessToken) else { return nil }
        let keySet = try await keys.keySet(forKeyID: jws.header["kid"]?.stringValue)
        do {
            var verified = try await validation.verify(accessToken, with: keySet, at: now, verifier: signatures)
            guard let claims = profile.standardClaims(of: verified.claims) else { return nil }
            verified.claims = claims
            memory.set(Remembered(token: verified, since: now), for: digest)
            return claims
        } catch is JOSEError {
            return nil
        }
    }

    /// A clock that was set back makes the entry count as old.
    private func remembered(_ digest: SHA256Digest, at now: Timestamp) -> Remembered? {
        guard let remembered = memory[digest], remembered.since <= now,
            now - remembered.since < Self.memoryLifetime
        else { return nil }
        return remembered
    }
}
