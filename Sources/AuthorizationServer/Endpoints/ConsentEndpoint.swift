// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore

/// Takes the form of the consent page: gives out a code, or says no.
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
            return ErrorAnswer.page(for: error, services)
        }
    }

    /// RFC 6749 section 4.1.2.
    private func allow(_ form: BrowserForm, at now: Timestamp) async throws(ProtocolFailure) -> HTTPResponse {
        let pending = form.pending
        guard let (session, user) = try await Interaction(services: services).signedIn(form.cookie, at: now),
            pending.fitness(of: session, at: now) == .fits
        else {
            // The session ended while the page was open, or was never good enough for this request.
            return .seeOther(pending.resumption(services))
        }
        let grant = Grant(
            id: Base64URL.encode(services.entropy.bytes(16)),
            clientID: pending.client.clientID,
            subject: user.subject,
            scope: pending.request.scope,
            authenticatedAt: session.authenticatedAt,
            createdAt: now
        )
        let code = services.tokens.makeCode()
        let stored = StoredCode(
            codeHash: SecretHash(of: code.value),
            grantID: grant.id,
            clientID: grant.clientID,
            redirectURI: pending.request.redirectURI,
            codeChallenge: pending.request.codeChallenge,
            dpopThumbprint: pending.request.dpopThumbprint,
            nonce: pending.request.authentication.nonce,
            expiresAt: now + services.configuration.lifetimes.authorizationCode
        )
        let handle = SecretHash(of: pending.handle)
        switch try await services.stored({ try await $0.issue(stored, under: grant, spending: handle, at: now) }) {
        case .issued:
            services.record(.consentGiven, subject: grant.subject, grantID: grant.id)
            services.record(.codeIssued, subject: grant.subject, grantID: grant.id)
            return pending.redirect(["code": code.value], services)
        case .requestSpent: throw .requestGone
        case .challengeReused: return pending.redirect(Self.challengeReused.parameters, services)
        }
    }

    /// RFC 6749 section 4.1.2.1.
    private func deny(_ form: BrowserForm, at now: Timestamp) async throws(ProtocolFailure) -> HTTPResponse {
        let handle = SecretHash(of: form.pending.handle)
        guard try await services.stored({ try await $0.spendAuthorizationRequest(handle, at: now) }) else {
            throw .requestGone
        }
        services.record(.consentDenied)
        let error = OAuthErrorResponse(.accessDenied, errorDescription: "the person said no")
        return form.pending.redirect(error.parameters, services)
    }

    /// "Not you?": the session ends, and the request goes on with the login page.
    private func signOut(_ form: BrowserForm) async throws(ProtocolFailure) -> HTTPResponse {
        let hash = form.cookie.hash
        try await services.stored { try await $0.endSession(hash) }
        services.record(.signedOut)
        return .seeOther(form.pending.resumption(services))
    }

    /// RFC 9700 section 2.1.1: a challenge is for one request.
    private static let challengeReused = OAuthErrorResponse(
        .invalidRequest,
        errorDescription: "the code_challenge was used before: make a new code_verifier for each request"
    )
}
