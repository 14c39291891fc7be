// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// Introspects tokens (RFC 7662).
///
/// A client can introspect its own tokens, and access tokens for the APIs that it is registered for as their server.
/// Any other token is reported as not active (section 4).
struct IntrospectionEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let received = ReceivedRequest(http, at: services.addresses.introspection, now: services.clock.now())
        do {
            let checked = try await CheckTable.introspection.run(received, services)
            let (request, now) = (checked.stage, checked.stage.now)
            let token = try request.requiredParameter("token")
            try await services.write(checked.recording, for: request) { storage, recording in
                try await storage.recordIfNeeded(recording, at: now)
            }
            let read = request.reads.tokens.first
            return .json(try await description(of: token, read, for: request.client, at: now) ?? ["active": false])
        } catch {
            return .failure(error)
        }
    }

    /// Section 2.1: the type is recognized from the token, so `token_type_hint` is not used.
    private func description(
        of token: String,
        _ read: TokenRead?,
        for client: RegisteredClient,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> JSONObject? {
        guard let read, let grant = read.grant else { return nil }
        if let refreshToken = read.refreshToken {
            let isOwn = refreshToken.clientID.isIdentical(to: client.clientID)
            return read.isLive && isOwn ? description(of: refreshToken, under: grant, at: now) : nil
        }
        guard let claims = try await services.claims(ofAccessToken: token, read) else { return nil }
        return description(of: claims, under: grant, for: client, at: now)
    }

    /// Describes an access token by its own claims, while the token and its grant are active.
    private func description(
        of claims: JWTClaims,
        under grant: Grant,
        for client: RegisteredClient,
        at now: Timestamp
    ) -> JSONObject? {
        let isOwn = claims.string("client_id")?.isIdentical(to: client.clientID) ?? false
        let isForItsAPI = claims.audience.contains { audience in
            client.introspectionAudiences.contains { $0.isIdentical(to: audience) }
        }
        guard isOwn || isForItsAPI, let expiresAt = claims.expiresAt, now < expiresAt,
            claims.string(TokenIssuer.grantClaim)?.isIdentical(to: grant.id) ?? false
        else { return nil }
        var object = claims.object
        object[TokenIssuer.grantClaim] = nil
        object["active"] = true
        object["token_type"] = Self.tokenType(isBound: claims.object["cnf"] != nil)
        return object
    }

    /// Describes a refresh token, until it expires or its grant is too old.
    private func description(
        of token: StoredRefreshToken,
        under grant: Grant,
        at now: Timestamp
    ) -> JSONObject? {
        let end = min(token.expiresAt, services.configuration.lifetimes.end(of: grant) ?? token.expiresAt)
        guard now < end else { return nil }
        var object: JSONObject = [
            "active": true, "iss": .string(services.configuration.issuer.description),
            "sub": .string(grant.subject), "client_id": .string(token.clientID),
            "exp": .number(JSONNumber(end.secondsSince1970)),
        ]
        if !token.scope.isEmpty { object["scope"] = .string(token.scope.description) }
        object["cnf"] = token.dpopThumbprint.map { ["jkt": .string($0.description)] }
        return object
    }

    /// `token_type` (RFC 9449 section 6.2).
    private static func tokenType(isBound: Bool) -> JSONValue {
        .string((isBound ? TokenType.dpop : .bearer).rawValue)
    }
}
