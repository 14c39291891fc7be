// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// The response to a request that the user allowed: a code (RFC 6749 section 4.1.2).
struct CodeResponse {
    let services: Services

    /// Stores grant and code, consumes the request, and redirects to the client; a device gets the response when it
    /// polls.
    ///
    /// - Returns: The response; `nil`, with nothing changed, if the session has ended, or the consent that it relies on no
    ///   longer exists.
    func give(
        for pending: PendingAuthorization,
        to session: BrowserSession,
        scope: Scope,
        by decision: ConsentDecision,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse? {
        let grant = try await grant(for: pending.checked, to: session.authenticatedUser, scope: scope, at: now)
        if let device = pending.request.deviceCodeHash {
            return try await DeviceDecision(services: services)
                .allow(device, pending, under: grant, in: session, at: now)
        }
        let (code, stored) = try code(for: pending.request, under: grant, at: now)
        let reference = pending.uri.hash
        let issuance = try await services.stored {
            try await $0.issue(stored, under: grant, consuming: reference, in: session.idHash, by: decision, at: now)
        }
        return try respond(to: pending.checked, issuance, of: code, under: grant, by: decision)
    }

    /// Stores grant and code for a request that is not stored itself, and redirects the browser to the client.
    ///
    /// - Returns: The response; `nil`, with nothing changed, if the session has ended or no such consent is stored.
    func give(
        for checked: CheckedAuthorizationRequest,
        to session: BrowserSession,
        by consent: StoredConsent,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse? {
        let grant = try await grant(for: checked, to: session.authenticatedUser, scope: checked.request.scope, at: now)
        let (code, stored) = try code(for: checked.request, under: grant, at: now)
        let issuance = try await services.stored {
            try await $0.issue(stored, under: grant, in: session.idHash, by: consent, at: now)
        }
        return try respond(to: checked, issuance, of: code, under: grant, by: .remembered(consent))
    }

    /// The grant of a request, for a user who signed in.
    func grant(
        for checked: CheckedAuthorizationRequest,
        to user: AuthenticatedUser,
        scope: Scope,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> Grant {
        // The code of a device names the grant already.
        let known = checked.request.deviceGrantID
        let id = if let known { known } else { try await services.newGrantID(for: user.subject, at: now) }
        var grant = Grant(
            id: id,
            clientID: checked.client.clientID,
            subject: user.subject,
            scope: scope,
            authenticatedAt: user.authenticatedAt,
            authentication: user.authentication,
            createdAt: now
        )
        grant.resources = checked.request.resources
        grant.authorizationDetails = checked.request.authorizationDetails
        return grant
    }

    /// The code of a request, bound to what its exchange must prove.
    func code(
        for request: AuthorizationRequest,
        under grant: Grant,
        at now: Timestamp
    ) throws(ProtocolFailure) -> (value: String, stored: StoredCode) {
        let code = try services.tokens.makeCode(for: grant, at: now)
        let stored = StoredCode(
            codeHash: SecretHash(of: code.value),
            grantID: grant.id,
            clientID: grant.clientID,
            redirectURI: request.redirectURI,
            codeChallenge: request.codeChallenge,
            dpopThumbprint: request.dpopThumbprint,
            nonce: request.authentication.nonce,
            expiresAt: now + services.configuration.lifetimes.authorizationCode
        )
        return (code.value, stored)
    }

    private func respond(
        to checked: CheckedAuthorizationRequest,
        _ issuance: CodeIssuance,
        of code: String,
        under grant: Grant,
        by decision: ConsentDecision
    ) throws(ProtocolFailure) -> HTTPResponse? {
        switch issuance {
        case .issued:
            if decision.isGivenNow { services.record(.consentGiven, subject: grant.subject, grantID: grant.id) }
            services.record(.codeIssued, subject: grant.subject, grantID: grant.id)
            return checked.redirect(["code": code], services)
        case .requestUsed: throw .requestGone
        case .challengeReused: return checked.redirect(Self.challengeReused.parameters, services)
        case .consentWithdrawn, .sessionEnded: return nil
        }
    }

    /// RFC 9700 section 2.1.1: a code challenge is used for one request only.
    static let challengeReused = OAuthErrorResponse(
        .invalidRequest,
        errorDescription: "the code_challenge was used before: make a new code_verifier for each request"
    )
}
