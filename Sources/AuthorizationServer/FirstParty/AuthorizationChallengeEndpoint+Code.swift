// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

extension AuthorizationChallengeEndpoint {
    /// Stores grant and code of a request, and the finished session under its next value (section 5.2.1).
    ///
    /// - Parameters:
    ///   - session: The session, open or finished.
    ///   - request: The request.
    ///   - user: Who signed in.
    ///   - password: The hash that the answer was checked against; `nil` if nothing was asked.
    ///   - checked: The request that leads to the code.
    /// - Returns: The response with the code.
    /// - Throws: A failure; no code was issued then.
    func finish(
        _ session: StoredFirstPartySession,
        _ request: CheckedAuthorizationRequest,
        as user: AuthenticatedUser,
        judgedBy password: PasswordHash?,
        _ checked: Checked<some ProvenStage>
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let (codes, now) = (CodeResponse(services: services), checked.stage.now)
        let grant = try await codes.grant(for: request, to: user, scope: request.request.scope, at: now)
        let (code, stored) = try codes.code(for: request.request, under: grant, at: now)
        let value = try newValue(of: session.id)
        let finished = StoredFirstPartySession(
            id: session.id,
            valueHash: value.hash,
            request: request.request,
            user: user,
            grantID: grant.id,
            expiresAt: user.authenticatedAt + services.configuration.lifetimes.session
        )
        let completion = try await services.write(checked.recording, for: checked.stage) { storage, recording in
            try await storage.finish(
                from: session.valueHash,
                as: finished,
                issuing: stored,
                under: grant,
                judgedBy: password,
                recording: recording,
                at: now
            )
        }
        switch completion {
        case .issued:
            services.record(.codeIssued, subject: user.subject, grantID: grant.id, detail: "first party")
            return ChallengeResponse.code(code, finished, value.text, after: checked.stage, services)
        case .lost:
            services.record(.firstPartyStepRefused, detail: "raced")
            throw .sessionRejected
        case .challengeReused:
            await forget(session, at: now)
            throw ProtocolFailure(CodeResponse.challengeReused)
        case .accountChanged:
            await forget(session, at: now)
            throw ProtocolFailure(.accessDenied, "the account has changed: sign in again")
        }
    }

    /// Ends an open session that cannot get its code; it expires by itself if that fails.
    private func forget(_ session: StoredFirstPartySession, at now: Timestamp) async {
        let recording = Recording(services.newAttempt())
        _ = try? await services.stored {
            try await $0.leave(session.id, from: session.valueHash, storing: nil, recording: recording, at: now)
        }
    }
}
