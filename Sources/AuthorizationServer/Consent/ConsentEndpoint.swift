// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// Handles the form of the consent page: issues a code, or denies the request.
struct ConsentEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let now = services.clock.now()
        do throws(ProtocolFailure) {
            let form = try await BrowserForm(http, services, at: now)
            switch form.value("decision") {
            case "allow": return try await allow(form, at: now)
            case "deny": return try await deny(form, at: now)
            case "switch": return try await signOut(form)
            default: throw ProtocolFailure(.invalidRequest, "the form has no decision")
            }
        } catch {
            return await BrowserForm.response(to: error, for: http, services, at: now)
        }
    }

    /// Allows the request (RFC 6749 section 4.1.2).
    private func allow(_ form: BrowserForm, at now: Timestamp) async throws(ProtocolFailure) -> HTTPResponse {
        let pending = form.pending
        guard let (session, user) = pending.signedIn,
            pending.fitness(of: session, at: now) == .fits, form.value("shown").isIdentical(to: pending.shown)
        else {
            // While the page was open, the session ended, or the client got back what the page did not show. Or the session
            // never met the requirements of this request.
            return .seeOther(pending.resumption(services))
        }
        let consent = pending.request.consent(of: user.subject, at: now)
        let mayBeRemembered = ConsentLookup(services: services).isAllowed(for: pending.request, of: pending.client)
        let isRemembered = form.value("remember") == "yes" && mayBeRemembered
        let response = try await CodeResponse(services: services).give(
            for: pending,
            to: session,
            scope: pending.request.scope,
            by: isRemembered ? .givenToRemember(consent) : .given,
            at: now
        )
        return response ?? .seeOther(pending.resumption(services))
    }

    /// Denies the request (RFC 6749 section 4.1.2.1).
    private func deny(_ form: BrowserForm, at now: Timestamp) async throws(ProtocolFailure) -> HTTPResponse {
        let error = OAuthErrorResponse(.accessDenied, errorDescription: "the user denied access")
        let response = try await Interaction(services: services).refuse(form.pending, error, for: .decided, at: now)
        services.record(.consentDenied)
        return response
    }

    /// "Not you?": ends the session; the request continues with the login page.
    private func signOut(_ form: BrowserForm) async throws(ProtocolFailure) -> HTTPResponse {
        // Without a session nothing is written, since the form can be posted again and again without any limit.
        if let user = form.pending.signedIn?.user {
            let hash = form.cookie.hash
            try await services.stored { try await $0.endSession(hash) }
            services.record(.signedOut, subject: user.subject)
        }
        return .seeOther(form.pending.resumption(services))
    }
}
