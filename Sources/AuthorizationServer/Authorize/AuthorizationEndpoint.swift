// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// The authorization endpoint (RFC 6749 section 3.1, RFC 9126 section 4).
struct AuthorizationEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let request = ReceivedRequest(http, at: services.addresses.authorization, now: services.clock.now())
        do {
            return try await interaction(request)
        } catch {
            return AuthorizationErrorResponse.page(for: error, services)
        }
    }

    /// Handles POST, which OpenID Connect Core section 3.1.2.1 requires.
    @Sendable func take(_ http: HTTPRequest) async -> HTTPResponse {
        do {
            return try Self.asQuery(
                http,
                at: services.addresses.authorization,
                orElse: "push the request instead (RFC 9126)"
            )
        } catch {
            return AuthorizationErrorResponse.page(for: error, services)
        }
    }

    /// Redirects a request that the browser posts to the same address, with the form parameters as the query (RFC 6749
    /// section 3.1).
    ///
    /// The cookie is SameSite=Lax, so the browser does not send it with a cross-site form. The browser sends it after
    /// the redirect. A form with a client secret is rejected first: a secret must not be in an address, where logs and
    /// histories keep it (section 2.3.1).
    ///
    /// - Parameters:
    ///   - http: The request.
    ///   - address: The address of the endpoint.
    ///   - advice: What a client can do whose parameters do not fit in an address.
    /// - Returns: The redirect.
    /// - Throws: A failure with 413 if the address would be longer than proxies and servers accept.
    static func asQuery(
        _ http: HTTPRequest,
        at address: EndpointAddresses.Address,
        orElse advice: String = "send fewer or shorter parameters"
    ) throws(ProtocolFailure) -> HTTPResponse {
        let parameters = try FormBody.parameters(of: http)
        try CheckClient.refuseSecret(in: parameters)
        let target = address.path + "?" + parameters.encoded()
        guard target.utf8.count <= longestTarget else {
            throw ProtocolFailure(
                .invalidRequest,
                "as an address the form is longer than \(longestTarget) bytes: \(advice)",
                status: 413
            )
        }
        return .seeOther(target)
    }

    /// In bytes: response and next request fit in the 16 KiB of nginx with `large_client_header_buffers 4 16k`, and of HAProxy,
    /// which keeps 1 KiB of them free.
    private static let longestTarget = 14_000

    private func interaction(_ received: ReceivedRequest) async throws(ProtocolFailure) -> HTTPResponse {
        let request = try await CheckTable.browserRequest.run(received, services)
        guard let requestURI = try request.parameter("request_uri") else { return try await response(to: request) }
        let pending = try await pendingRequest(requestURI, of: request)
        return try await Interaction(services: services).page(for: pending, in: request.http, at: request.now)
    }

    /// RFC 6749 section 4.1.2.1: an error is sent to the client, unless it is about the client or its redirect URI.
    private func response(to request: FormRequest) async throws(ProtocolFailure) -> HTTPResponse {
        var redirect = try await CheckTable.authorizationClient.run(request, services)
        do {
            redirect = try await CheckTable.authorizationResponse.run(redirect, services)
            let checked = CheckedAuthorizationRequest(try await CheckTable.authorization.run(redirect, services))
            return try await Interaction(services: services).respond(
                to: checked,
                isSingleUse: redirect.clientRequest.requestObject != nil,
                from: redirect.clientRequest.browser,
                in: request.http,
                at: request.now
            )
        } catch {
            return self.error(error, to: redirect)
        }
    }

    private func pendingRequest(
        _ requestURI: String,
        of request: FormRequest
    ) async throws(ProtocolFailure) -> PendingAuthorization {
        // RFC 9101 section 5: `request` and `request_uri` exclude each other.
        guard try request.parameter("request") == nil else {
            throw ProtocolFailure(.invalidRequest, "'request' and 'request_uri' exclude each other")
        }
        // RFC 9126 section 4: only client_id and request_uri are used; the other parameters were pushed.
        guard let uri = RequestURI(parsing: requestURI) else { throw .requestGone }
        let pending = try await PendingAuthorization.load(
            uri,
            in: BrowserCookie(in: request.http, services),
            services,
            at: request.now
        )
        let clientID = try request.requiredParameter("client_id")
        guard clientID.isIdentical(to: pending.client.clientID) else { throw .requestGone }
        return pending
    }

    private func error(_ failure: ProtocolFailure, to request: RedirectRequest) -> HTTPResponse {
        let prompt = (try? request.parameter("prompt"))?.split(separator: " ") ?? []
        // Nothing is wrong with the request then: who waits can send it again.
        let isTemporary = failure.status >= 500 || failure.status == 429
        return ErrorRedirect(
            error: OAuthErrorResponse(failure.code, errorDescription: failure.description),
            client: request.client,
            redirectURI: request.redirectURI,
            responseMode: request.responseMode,
            state: try? request.parameter("state"),
            user: request.clientRequest.browser.user == nil ? .unknown : .signedIn,
            isSilent: prompt.contains("none"),
            status: isTemporary ? failure.status : 400,
            retryAfter: failure.fields["Retry-After"]
        ).response(services)
    }
}
