// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// An authorization request that waits for the person, and the `request_uri` that pages carry it by.
struct PendingAuthorization {
    let uri: RequestURI
    let checked: CheckedAuthorizationRequest

    var request: AuthorizationRequest { checked.request }
    var client: RegisteredClient { checked.client }
    var createdAt: Timestamp { checked.createdAt }

    /// The request of a `request_uri`, while it waits, in the browser that it belongs to.
    ///
    /// Looking at the page of a request binds it to no browser: links are opened by those who check them too, and pages are
    /// taken from one browser to another. Signing in for it does.
    ///
    /// - Throws: A failure for a page: there is nowhere to send an answer to.
    static func load(
        _ uri: RequestURI,
        in cookie: BrowserCookie?,
        _ services: Services,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> PendingAuthorization {
        let hash = uri.hash
        let stored = try await services.stored { try await $0.authorizationRequest(hash, at: now) }
        guard let stored else { throw .requestGone }
        guard stored.browserHash == nil || stored.browserHash == cookie?.hash else { throw .otherBrowser }
        let clientID = stored.request.clientID
        let client = try await services.stored { try await $0.client(clientID) }
        guard let client else { throw .requestGone }
        RequestTrace.current?.clientID = clientID
        let createdAt = stored.expiresAt - services.configuration.lifetimes.authorizationRequest
        let checked = CheckedAuthorizationRequest(request: stored.request, client: client, createdAt: createdAt)
        return PendingAuthorization(uri: uri, checked: checked)
    }

    /// Where the browser goes to take the request up again.
    func resumption(_ services: Services) -> String {
        let parameters: FormParameters = ["client_id": client.clientID, "request_uri": uri.text]
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
