// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// The end session endpoint: signs a user out of this server (OpenID Connect RP-Initiated Logout section 2).
///
/// It ends the session of the browser. Grants of clients remain until they are revoked or expire.
struct EndSessionEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let received = ReceivedRequest(http, at: services.addresses.endSession, now: services.clock.now())
        do {
            return try await respond(CheckTable.endSession.run(received, services))
        } catch {
            return SignOut.errorPage(for: error, services)
        }
    }

    /// Section 2: clients may also use POST.
    @Sendable func take(_ http: HTTPRequest) async -> HTTPResponse {
        do {
            return try AuthorizationEndpoint.asQuery(http, at: services.addresses.endSession)
        } catch {
            return SignOut.errorPage(for: error, services)
        }
    }

    /// Ends the session if the hint is about the signed-in user.
    ///
    /// Otherwise the user must confirm, since anyone could have made the link.
    private func respond(_ request: SignOutRequest) async throws(ProtocolFailure) -> HTTPResponse {
        let signOut = try SignOut(request, services)
        guard let cookie = BrowserCookie(in: request.http, services),
            let user = try await user(in: cookie, at: request.now)
        else {
            return request.hint == nil ? signOut.notice(.signedOut) : signOut.end()
        }
        guard request.hint?.subject.isIdentical(to: user.subject) ?? false else {
            return signOut.confirmation(user: user, cookie: cookie)
        }
        let hash = cookie.hash
        try await services.stored { try await $0.endSession(hash) }
        services.record(.signedOut, subject: user.subject)
        return signOut.end()
    }

    /// The user who is signed in in a browser.
    private func user(in cookie: BrowserCookie, at now: Timestamp) async throws(ProtocolFailure) -> UserAccount? {
        try await services.stored { try await $0.reads(ofClient: nil, in: cookie.hash, at: now) }.browser.user
    }
}
