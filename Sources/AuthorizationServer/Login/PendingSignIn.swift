// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// Something that a user signs in for, in the browser that it is bound to: the request of a client, or a device.
protocol PendingSignIn {
    var uri: RequestURI { get }
    var request: AuthorizationRequest { get }
    /// The client that waits for the answer; `nil` if there is none yet.
    var clientOfRequest: RegisteredClient? { get }
    var createdAt: Timestamp { get }

    /// The address at which the browser resumes after the login.
    func resumption(_ services: Services) -> String
}

extension Services {
    /// Reads a stored request and what its pages depend on, in the browser that it is bound to.
    func reads(
        of uri: RequestURI,
        in cookie: BrowserCookie?,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> PendingRequestReads {
        let reads = try await stored {
            try await $0.reads(ofRequest: uri.hash, in: cookie?.hash, userNamed: nil, at: now)
        }
        guard let request = reads.request else { throw .requestGone }
        guard request.browserHash == nil || request.browserHash == cookie?.hash else {
            throw cookie == nil ? .otherBrowserWithoutCookies : .otherBrowser
        }
        return reads
    }

    /// Reads a stored request for a login form, and the account with the name that was typed.
    ///
    /// A form that is submitted twice has the cookie from before the first sign-in, without a session, while the request
    /// is already bound to that sign-in. So it is accepted here; starting the second session then moves the request only if
    /// the same user signed in (``/ServerStorage/SessionStore/start(_:replacing:judgedBy:)``), and otherwise the next page
    /// is refused.
    func reads(
        ofLoginFor uri: RequestURI,
        in cookie: BrowserCookie,
        userNamed username: String?,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> PendingRequestReads {
        let reads = try await stored {
            try await $0.reads(ofRequest: uri.hash, in: cookie.hash, userNamed: username, at: now)
        }
        guard let request = reads.request else { throw .requestGone }
        guard request.browserHash == cookie.hash || request.browserHash == nil || reads.browser.session == nil else {
            throw .otherBrowser
        }
        return reads
    }

    /// The request of a login form or a login provider, whatever the user signs in for.
    func pendingSignIn(
        _ uri: RequestURI,
        _ reads: PendingRequestReads,
        userCode: UserCode?
    ) throws(ProtocolFailure) -> any PendingSignIn {
        guard let stored = reads.request, stored.request.purpose == .userCode else {
            return try PendingAuthorization(uri, reads, self)
        }
        return DeviceSignIn(
            uri: uri,
            request: stored.request,
            createdAt: stored.expiresAt - configuration.lifetimes.authorizationRequest,
            userCode: userCode
        )
    }
}
