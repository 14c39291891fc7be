// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// An authorization request that waits for the person, and the handle that pages carry it by.
struct PendingRequest {
    let handle: String
    let asked: AskedRequest

    var request: AuthorizationRequest { asked.request }
    var client: RegisteredClient { asked.client }
    var createdAt: Timestamp { asked.createdAt }

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
        let asked = AskedRequest(request: stored.request, client: client, createdAt: createdAt)
        return PendingRequest(handle: handle, asked: asked)
    }

    /// Where the browser goes to take the request up again.
    func resumption(_ services: Services) -> String {
        let parameters: FormParameters = ["client_id": client.clientID, "request_uri": RequestURI.text(for: handle)]
        return services.addresses.authorization.path + "?" + parameters.encoded()
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
