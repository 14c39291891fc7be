// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// The form of the login page, posted by the browser that got the page, and the account with the name that was typed.
struct LoginForm {
    let username: String
    let password: String
    let cookie: BrowserCookie
    /// What the browser shows about accounts that signed in there before.
    let knownBrowser: KnownBrowser?
    let pending: any PendingSignIn
    /// The account with the user name; `nil` if there is none.
    let namedUser: UserAccount?

    /// Parses a form and rejects cross-site request forgery; see ``BrowserForm``.
    init(_ request: HTTPRequest, _ services: Services, at now: Timestamp) async throws(ProtocolFailure) {
        let (parameters, cookie) = try BrowserForm.authentic(request, services)
        self.cookie = cookie
        knownBrowser = KnownBrowser(in: request, services)
        (username, password) = (parameters.first("username"), parameters.first("password"))
        let uri = RequestURI(reference: parameters.values(for: "request")[0])
        let reads = try await services.reads(
            ofLoginFor: uri,
            in: cookie,
            userNamed: Username.acceptable(username),
            at: now
        )
        let userCode = UserCode(typed: parameters.first("user_code"))
        (pending, namedUser) = (try services.pendingSignIn(uri, reads, userCode: userCode), reads.namedUser)
    }
}
