// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// Where the browser brings an authorization request (RFC 6749 section 3.1, RFC 9126 section 4).
struct AuthorizationEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        var request = ProtocolRequest(http, at: services.addresses.authorization, now: services.clock.now())
        do {
            return try await interaction(&request)
        } catch {
            return answer(error, to: request)
        }
    }

    /// OpenID Connect Core section 3.1.2.1: clients may post as well.
    @Sendable func take(_ http: HTTPRequest) async -> HTTPResponse {
        do {
            return try PostedRequest.asQuery(http, at: services.addresses.authorization)
        } catch {
            return ErrorAnswer.page(for: error, services)
        }
    }

    private func interaction(_ request: inout ProtocolRequest) async throws(ProtocolFailure) -> HTTPResponse {
        try await CheckTable.browserRequest.run(&request, services)
        let interaction = Interaction(services: services)
        guard let requestURI = try request.parameter("request_uri") else {
            try await CheckTable.authorization.run(&request, services)
            return try await interaction.answer(to: try AskedRequest(request), in: request.http, at: request.now)
        }
        let pending = try await pendingRequest(requestURI, of: request)
        return try await interaction.page(for: pending, in: request.http, at: request.now)
    }

    private func pendingRequest(
        _ requestURI: String,
        of request: ProtocolRequest
    ) async throws(ProtocolFailure) -> PendingRequest {
        // RFC 9101 section 5: one or the other.
        guard try request.parameter("request") == nil else {
            throw ProtocolFailure(.invalidRequest, "'request' and 'request_uri' exclude each other")
        }
        // RFC 9126 section 4: only client_id and request_uri count; the rest was pushed.
        guard let handle = RequestURI.handle(in: requestURI) else { throw .requestGone }
        let pending = try await PendingRequest.load(
            handle,
            in: BrowserCookie(in: request.http, services),
            services,
            at: request.now
        )
        let clientID = try request.requiredParameter("client_id")
        guard clientID.isIdentical(to: pending.client.clientID) else { throw .requestGone }
        return pending
    }

    /// RFC 6749 section 4.1.2.1: an error goes to the client, unless it is about the client or its redirect URI.
    private func answer(_ failure: ProtocolFailure, to request: ProtocolRequest) -> HTTPResponse {
        guard let redirectURI = request.redirectURI else {
            return ErrorAnswer.page(for: failure, services)
        }
        return AuthorizationRedirect.response(
            OAuthErrorResponse(failure.code, errorDescription: failure.description).parameters,
            to: redirectURI,
            as: request.responseMode,
            state: try? request.parameter("state"),
            client: request.client,
            services
        )
    }
}
