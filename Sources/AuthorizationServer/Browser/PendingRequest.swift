// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore

/// An authorization request that waits for the person, and the handle that pages carry it by.
struct PendingRequest {
    let handle: String
    let request: AuthorizationRequest
    let client: RegisteredClient
    let createdAt: Timestamp

    /// Stores a request that passed the checks.
    static func store(
        _ checked: ProtocolRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> PendingRequest {
        let client = try checked.established(checked.client)
        var request = AuthorizationRequest(
            clientID: client.clientID,
            redirectURI: try checked.established(checked.redirectURI),
            scope: checked.scope,
            state: try checked.parameter("state"),
            codeChallenge: try checked.established(checked.codeChallenge),
            dpopThumbprint: checked.dpopThumbprint,
            authentication: checked.authentication,
            responseMode: checked.responseMode
        )
        request.resources = checked.resources
        request.authorizationDetails = checked.authorizationDetails ?? []
        let handle = services.tokens.random()
        let stored = StoredAuthorizationRequest(
            handleHash: SecretHash(of: handle),
            request: request,
            expiresAt: checked.now + services.configuration.lifetimes.authorizationRequest
        )
        try await services.stored { try await $0.add(stored) }
        return PendingRequest(handle: handle, request: request, client: client, createdAt: checked.now)
    }

    /// The request of a handle, while it waits, in the browser that it belongs to.
    ///
    /// Looking at the page of a request binds it to no browser: links are opened by those who check them too, and pages are
    /// taken from one browser to another. Signing in for it does.
    ///
    /// - Throws: A failure for a page: there is nowhere to send an answer to.
    static func load(
        _ handle: String,
        in cookie: BrowserCookie?,
        _ services: Services,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> PendingRequest {
        let hash = SecretHash(of: handle)
        let stored = try await services.stored { try await $0.authorizationRequest(hash, at: now) }
        guard let stored else { throw .requestGone }
        guard stored.browserHash == nil || stored.browserHash == cookie?.hash else { throw .otherBrowser }
        let clientID = stored.request.clientID
        let client = try await services.stored { try await $0.client(clientID) }
        guard let client else { throw .requestGone }
        RequestTrace.current?.clientID = clientID
        let createdAt = stored.expiresAt - services.configuration.lifetimes.authorizationRequest
        return PendingRequest(handle: handle, request: stored.request, client: client, createdAt: createdAt)
    }

    /// Where the browser goes to take the request up again.
    func resumption(_ services: Services) -> String {
        let parameters: FormParameters = ["client_id": client.clientID, "request_uri": RequestURI.text(for: handle)]
        return services.addresses.authorization.path + "?" + parameters.encoded()
    }

    /// The answer to the client, through the browser, with `state` and `iss` (RFC 6749 section 4.1.2, RFC 9207).
    func redirect(_ parameters: FormParameters, _ services: Services) -> HTTPResponse {
        AuthorizationRedirect.response(
            parameters,
            to: request.redirectURI,
            as: request.responseMode,
            state: request.state,
            client: client,
            services
        )
    }
}

extension ProtocolFailure {
    /// The request of a page is no longer there.
    static let requestGone = ProtocolFailure(
        .invalidRequestURI,
        "the authorization request is unknown, expired, or already answered"
    )

    /// Somebody signed in for the request of a page, and not in this browser.
    static let otherBrowser = ProtocolFailure(
        .accessDenied,
        "somebody signed in for this request in another browser; cookies must be allowed",
        status: 403
    )
}
