// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore

/// The answer to a request that a person agreed to: a code (RFC 6749 section 4.1.2).
struct CodeAnswer {
    let services: Services

    /// Stores grant and code, spends the request, and sends the browser to the client; a device gets its answer elsewhere.
    ///
    /// - Returns: The answer; `nil`, and nothing has changed, when the consent that it was to rest on is gone.
    func give(
        for pending: PendingRequest,
        to session: BrowserSession,
        scope: Scope,
        by basis: ConsentBasis,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse? {
        var grant = Grant(
            id: Base64URL.encode(services.entropy.bytes(16)),
            clientID: pending.client.clientID,
            subject: session.subject,
            scope: scope,
            authenticatedAt: session.authenticatedAt,
            authentication: session.authentication,
            createdAt: now
        )
        grant.resources = pending.request.resources
        grant.authorizationDetails = pending.request.authorizationDetails
        if let device = pending.request.deviceCodeHash {
            return try await DeviceAnswer(services: services).allow(device, pending, under: grant, at: now)
        }
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
        let issuance = try await services.stored { [grant] in
            try await $0.issue(stored, under: grant, spending: handle, by: basis, at: now)
        }
        switch issuance {
        case .issued:
            if basis.isGivenNow { services.record(.consentGiven, subject: grant.subject, grantID: grant.id) }
            services.record(.codeIssued, subject: grant.subject, grantID: grant.id)
            return pending.redirect(["code": code.value], services)
        case .requestSpent: throw .requestGone
        case .challengeReused: return pending.redirect(Self.challengeReused.parameters, services)
        case .consentWithdrawn: return nil
        }
    }

    /// RFC 9700 section 2.1.1: a challenge is for one request.
    private static let challengeReused = OAuthErrorResponse(
        .invalidRequest,
        errorDescription: "the code_challenge was used before: make a new code_verifier for each request"
    )
}
