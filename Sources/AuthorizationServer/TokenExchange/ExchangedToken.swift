// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// An active access token of this server that a client presents for an exchange, validated as an API would.
struct ExchangedToken: Sendable {
    /// How a token is bound to a key.
    enum Binding: Sendable, Hashable {
        case none
        case key(JWKThumbprint)
        /// A binding that cannot be proven here (RFC 7800).
        case other
    }

    let claims: JWTClaims
    let grant: Grant
    /// How many grants that grant derives from; this number never changes.
    let parentCount: Int
    let expiresAt: Timestamp

    /// Validates a token; `nil` for a token that an API would reject, or that was revoked.
    ///
    /// - Parameters:
    ///   - text: The token.
    ///   - read: What is stored about it.
    ///   - services: The services of the server.
    ///   - now: The time.
    /// - Throws: A failure if the request was cancelled while a signature waited.
    init?(
        _ text: String,
        _ read: TokenRead?,
        _ services: Services,
        at now: Timestamp
    ) async throws(ProtocolFailure) {
        guard let claims = try await Self.claims(text, read, services, at: now), let expiresAt = claims.expiresAt,
            let read, let grant = read.grant,
            claims.string(TokenIssuer.grantClaim)?.isIdentical(to: grant.id) ?? false
        else { return nil }
        (self.claims, self.grant, self.expiresAt) = (claims, grant, expiresAt)
        parentCount = read.parentCount
    }

    /// The claims of a token, for any API.
    private static func claims(
        _ text: String,
        _ read: TokenRead?,
        _ services: Services,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> JWTClaims? {
        guard !text.hasPrefix(TokenIssuer.accessTokenPrefix) else {
            return read?.accessToken.flatMap { try? JWTClaims($0.claims) }
        }
        let (configuration, keys) = (services.configuration, services.keys.now.accessTokenKeys)
        // Unverified: used only to choose the validations that can succeed.
        let named = (try? JWTClaims(CompactJWS(parsing: text).payloadObject()))?.audience ?? []
        let audience = (configuration.resources.map(\.address) + [configuration.audience]).first { audience in
            named.contains { $0.isIdentical(to: audience) }
        }
        guard let audience else { return nil }
        let validation = JWTValidation.accessToken(
            issuer: configuration.issuer.description,
            audience: audience,
            algorithms: Set(keys.keys.compactMap(\.algorithm)),
            leeway: .zero
        )
        do {
            return try await validation.validate(text, with: keys, at: now, verifier: configuration.signatures)
        } catch is CancellationError {
            // The request was cancelled while its signature waited in a batch.
            throw .unavailable
        } catch {
            return nil
        }
    }

    /// The authorization details of the token (RFC 9396 section 9.1).
    var authorizationDetails: [AuthorizationDetail] {
        claims.object["authorization_details"].flatMap { try? AuthorizationDetail.list(parsing: $0) } ?? []
    }

    /// `cnf` (RFC 9449 section 6.1).
    var binding: Binding {
        guard let confirmation = claims.object["cnf"] else { return .none }
        guard let text = confirmation.objectValue?["jkt"]?.stringValue, let thumbprint = try? JWKThumbprint(text) else {
            return .other
        }
        return .key(thumbprint)
    }

    /// Whether the token was issued to a client.
    func isOf(_ client: RegisteredClient) -> Bool {
        claims.string("client_id")?.isIdentical(to: client.clientID) ?? false
    }

    /// Whether the token is for an API that a client is the server of.
    func isFor(_ client: RegisteredClient) -> Bool {
        claims.audience.contains { audience in
            client.introspectionAudiences.contains { $0.isIdentical(to: audience) }
        }
    }

    var scope: Scope {
        claims.string("scope").flatMap { try? Scope(parsing: $0) } ?? .empty
    }
}
