// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// An authorization request that waits for the user, and the `request_uri` that pages refer to it by.
struct PendingAuthorization {
    let uri: RequestURI
    let checked: CheckedAuthorizationRequest

    var request: AuthorizationRequest { checked.request }
    var client: RegisteredClient { checked.client }
    var createdAt: Timestamp { checked.createdAt }

    /// Loads the pending request of a `request_uri`, in the browser that it is bound to.
    ///
    /// Viewing the page of a request does not bind the request to a browser: link scanners open links too, and users
    /// move pages from one browser to another. Signing in for the request does.
    ///
    /// - Throws: A failure to show as a page; there is no client to send an error to.
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

    /// The address at which the browser resumes the request.
    func resumption(_ services: Services) -> String {
        let parameters: FormParameters = ["client_id": client.clientID, "request_uri": uri.text]
        return services.addresses.authorization.path + "?" + parameters.encoded()
    }
}

extension ProtocolFailure {
    /// The request that a page refers to no longer exists.
    static let requestGone = ProtocolFailure(
        .invalidRequestURI,
        "the authorization request is unknown, expired, or already answered"
    )

    /// The user signed in for the request in a different browser.
    static let otherBrowser = ProtocolFailure(
        .accessDenied,
        "another browser already signed in for this request; this one must allow cookies",
        status: 403
    )
}
