// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore
import OAuthCrypto
public import OAuthSystem
import StrictJSON

/// Validates JWT access tokens with the keys of their issuer (RFC 9068 section 4).
///
/// ``GuardConfiguration/tokenProfile`` says which JWTs these are.
///
/// With ``GuardConfiguration/furtherIssuers``, `iss` selects the issuer before the signature is verified, and only the
/// keys and rules of that issuer apply (RFC 8725 section 3.8). A token that names another issuer is not valid, and no keys
/// are fetched for it.
///
/// Tokens whose signature was verified are cached for up to five minutes, at most
/// ``GuardConfiguration/rememberedTokens`` of them. Everything but the signature is checked for each request: the
/// times, the audience, the issuer, and that the issuer still publishes the key.
public struct SignedAccessTokens: AccessTokenReader {
    private let first: Issuer
    private let others: [Issuer]
    private let signatures: (any SignatureVerifier)?
    private let memory: TokenTable<Remembered>
    private let hits: Counter

    private struct Remembered: Sendable {
        let token: VerifiedJWT
        let issuer: Issuer
        let since: Timestamp
    }

    /// How long the result of verifying a signature is used.
    private static let memoryLifetime: Duration = .seconds(300)

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the guard.
    ///   - keys: The source of the keys of ``GuardConfiguration/issuer``.
    public init(_ configuration: GuardConfiguration, keys: any JWKSetSource) {
        first = Issuer(configuration, keys: keys)
        others = configuration.furtherIssuers.map { Issuer($0, configuration) }
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
    /// - Throws: An error of the source of keys of the issuer that the token names; `CancellationError` if the task was
    ///   cancelled while the signature waited in a batch.
    public func claims(of accessToken: String, at now: Timestamp) async throws -> JWTClaims? {
        // Longer tokens are not hashed either.
        guard accessToken.utf8.count <= first.validation.maximumLength else { return nil }
        let digest = TokenTable<Remembered>.digest(of: accessToken)
        if let remembered = remembered(digest, at: now) {
            let issuer = remembered.issuer
            let keySet = try await issuer.keys.keySet(forKeyID: remembered.token.keyID)
            hits.add()
            return try? issuer.validation.validate(again: remembered.token, with: keySet, at: now)
        }
        guard let jws = try? CompactJWS(parsing: accessToken), let issuer = issuer(of: jws) else { return nil }
        let keySet = try await issuer.keys.keySet(forKeyID: jws.header["kid"]?.stringValue)
        do {
            var verified = try await issuer.validation.verify(
                accessToken,
                with: keySet,
                at: now,
                verifier: signatures
            )
            guard let claims = issuer.profile.standardClaims(of: verified.claims) else { return nil }
            verified.claims = claims
            memory.set(Remembered(token: verified, issuer: issuer, since: now), for: digest)
            return claims
        } catch is JOSEError {
            return nil
        }
    }

    /// The issuer that a token names, by a claim that is not verified yet; `nil` for one that is not accepted.
    private func issuer(of jws: CompactJWS) -> Issuer? {
        // A single issuer is compared after the signature, with the other claims.
        guard !others.isEmpty else { return first }
        guard let name = (try? jws.payloadObject())?["iss"]?.stringValue else { return nil }
        // `==` would take two spellings of one letter for the same (RFC 9068 section 4: the match is exact).
        if first.name.isIdentical(to: name) { return first }
        return others.first { $0.name.isIdentical(to: name) }
    }

    /// A clock that was set back makes the entry count as old.
    private func remembered(_ digest: SHA256Digest, at now: Timestamp) -> Remembered? {
        guard let remembered = memory[digest], remembered.since <= now,
            now - remembered.since < Self.memoryLifetime
        else { return nil }
        return remembered
    }
}
