// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// An authorization request that waits for the user, and the `request_uri` that pages refer to it by.
struct PendingAuthorization: PendingSignIn {
    let uri: RequestURI
    let checked: CheckedAuthorizationRequest
    /// Who is signed in in this browser, with the consent that covers the details of the request.
    let browser: SessionReads

    var request: AuthorizationRequest { checked.request }
    var client: RegisteredClient { checked.client }
    var createdAt: Timestamp { checked.createdAt }
    var clientOfRequest: RegisteredClient? { client }

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
        let reads = try await services.reads(of: uri, in: cookie, at: now)
        return try PendingAuthorization(uri, reads, services)
    }

    /// The request as it was read, if a client waits for the answer.
    init(_ uri: RequestURI, _ reads: PendingRequestReads, _ services: Services) throws(ProtocolFailure) {
        guard let stored = reads.request, stored.request.purpose == .client, let client = reads.client else {
            throw .requestGone
        }
        RequestTrace.current?.clientID = client.clientID
        let createdAt = stored.expiresAt - services.configuration.lifetimes.authorizationRequest
        let request = try Self.inForce(stored.request, of: client, services.configuration)
        let checked = CheckedAuthorizationRequest(request: request, client: client, createdAt: createdAt)
        self.init(uri: uri, checked: checked, browser: reads.browser)
    }

    init(uri: RequestURI, checked: CheckedAuthorizationRequest, browser: SessionReads) {
        (self.uri, self.checked, self.browser) = (uri, checked, browser)
    }

    /// What is left of a request that was checked before, after its client has changed (RFC 9126 section 4: a check may be
    /// left out only if nothing that affects it was modified).
    private static func inForce(
        _ request: AuthorizationRequest,
        of client: RegisteredClient,
        _ configuration: ServerConfiguration
    ) throws(ProtocolFailure) -> AuthorizationRequest {
        // The response for a device goes to no redirect URI: it is fetched at the token endpoint.
        let isRegistered =
            request.deviceCodeHash != nil
            || client.redirectURIs.contains { RedirectURIMatch.matches(request.redirectURI, registered: $0) }
        guard isRegistered else { throw .requestGone }
        var request = request
        (request.scope, request.authorizationDetails) = try configuration.inForce(
            request.scope,
            request.authorizationDetails,
            for: client
        )
        return request
    }

    /// Names what the consent page shows of the request.
    ///
    /// What is left of a request may change while the page is open, also to more. The user consents to what was shown.
    var shown: String { request.scope.description + " " + Base64URL.encode(request.detailsHash.bytes) }

    /// The session of the browser and its user; `nil` if no user is signed in.
    var signedIn: (session: BrowserSession, user: UserAccount)? {
        guard let session = browser.session, let user = browser.user else { return nil }
        return (session, user)
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
        "another browser already signed in for this request",
        status: 403
    )

    /// The same, in a browser that sent no cookie: it may be the one that signed in.
    static let otherBrowserWithoutCookies = ProtocolFailure(
        .accessDenied,
        "a browser already signed in for this request; if it was this one, it must allow cookies",
        status: 403
    )
}
