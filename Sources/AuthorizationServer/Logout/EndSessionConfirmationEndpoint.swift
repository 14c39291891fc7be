// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// Handles the form of the sign-out page (OpenID Connect RP-Initiated Logout section 2).
struct EndSessionConfirmationEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let received = ReceivedRequest(http, at: services.addresses.endSessionConfirmation, now: services.clock.now())
        do throws(ProtocolFailure) {
            let (parameters, cookie) = try BrowserForm.authentic(http, services)
            guard parameters.values(for: "request") == [SignOut.formName] else { throw BrowserForm.forged }
            // The form was made after the hint was checked, and names the client itself.
            let logout = LogoutRequest(form: FormRequest(received, parameters), hint: nil)
            let request = try await CheckTable.endSessionConfirmation.run(logout, services)
            let signOut = try SignOut(request, services)
            switch try request.parameter("decision") {
            case "signout":
                try await endSession(in: cookie, at: request.now)
                return signOut.end()
            case "stay":
                return signOut.notice(.stillSignedIn)
            default:
                throw ProtocolFailure(.invalidRequest, "the form has no decision")
            }
        } catch {
            return SignOut.errorPage(for: error, services)
        }
    }

    /// Ends the session, if there is one.
    ///
    /// Without a session nothing is written, since the form can be posted again and again without any limit.
    private func endSession(in cookie: BrowserCookie, at now: Timestamp) async throws(ProtocolFailure) {
        let hash = cookie.hash
        let reads = try await services.stored { try await $0.reads(ofClient: nil, in: hash, at: now) }
        guard let user = reads.browser.user else { return }
        try await services.stored { try await $0.endSession(hash) }
        services.record(.signedOut, subject: user.subject)
    }
}
