// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import StrictJSON
import Synchronization

/// Sign-ins, restored sessions, and what is stored of them.
extension MCPAuthorization {
    /// The stored session; `nil` if there is none, its client cannot use it, or the client is the one that was refused.
    func restoredSession(insteadOf refused: MCPServerRecord?) async throws(OAuthClientError) -> OAuthSession? {
        guard let record = try await storedRecord(), refused?.hasAccount(of: record) != true else { return nil }
        guard let authentication = try await authentication(of: record) else {
            await endFormerAccounts()
            return nil
        }
        let plan = MCPPlan(
            record: record,
            authentication: authentication,
            document: record.client == .document ? identity.document : nil,
            context: ServerContext(issuer: record.issuer, stepUps: planner.stepUps)
        )
        let client = try client(for: plan)
        guard let session = try await client.restoreSession() else {
            await tidy(record, client)
            return nil
        }
        current = (session, record)
        if record.client == .registeredItself, record.authenticationMethod != ClientAuthenticationMethod.none {
            // If it cannot be stored, the next start notes it.
            try? await planner.registrations.stored.noteUse(of: record.clientID, at: record.issuer, by: server)
        }
        // Some are left if a process ended too early, or their authorization server could not be reached.
        await endFormerAccounts()
        return session
    }

    /// Deletes what a session has left that ended in an earlier run of the app, and the sessions before it.
    private func tidy(_ record: MCPServerRecord, _ client: OAuth2Client) async {
        do throws(OAuthClientError) {
            // Those of a user who has signed out are revoked in the background, which needs the secret.
            if try await client.storedTokens() == nil { await planner.release(record) }
        } catch {
            // Tokens that cannot be read now may be readable at the next start.
        }
        await endFormerAccounts()
    }

    func signIn(
        _ challenges: [Challenge]?,
        insteadOf refused: MCPServerRecord?
    ) async throws(OAuthClientError) -> OAuthSession {
        guard let userAgent else {
            throw OAuthClientError(
                .sessionEnded,
                "the user must sign in for the MCP server, but there is no user agent"
            )
        }
        let earlier: MCPServerRecord?
        if let current { earlier = current.record } else { earlier = try await storedRecord() }
        let plan = try await planner.plan(challenges, after: earlier, insteadOf: refused)
        do {
            return try await signIn(by: plan, after: earlier, userAgent)
        } catch {
            // The server forgot a client that had registered itself.
            guard plan.record.client == .registeredItself, error.answer?.error == .invalidClient else { throw error }
            let another = try await planner.plan(challenges, after: earlier, insteadOf: plan.record)
            return try await signIn(by: another, after: earlier, userAgent)
        }
    }

    private func signIn(
        by plan: MCPPlan,
        after earlier: MCPServerRecord?,
        _ userAgent: any UserAgent
    ) async throws(OAuthClientError) -> OAuthSession {
        var options = AuthorizationOptions()
        options.resources = [plan.record.resource]
        let client = try client(for: plan)
        let callback: AuthorizationCallback
        let wasShown = Mutex(false)
        do throws(OAuthClientError) {
            callback = try await client.callback(scopes: plan.record.scopes, using: userAgent, options: options) {
                wasShown.withLock { $0 = true }
            }
        } catch {
            if Self.isOfUser(error) { signIns.count(at: monotonicClock.elapsed()) }
            if wasShown.withLock({ $0 }), error.isNoResponse { await noteNoResponse(to: plan) }
            throw error
        }
        // Counted only now, so that an authorization server that is down uses up no sign-in.
        signIns.count(at: monotonicClock.elapsed())
        // Once there is a response, the sign-in is finished even if all callers have gone: the record must name the tokens. The
        // next call waits for it, and finds the session.
        let finishing: Task<OAuthSession, any Error> = Task {
            try await finish(callback, client, plan, after: earlier)
        }
        do {
            return try await finishing.value
        } catch {
            throw OAuthClientError(error, otherwise: .userAgentFailed, "the sign-in failed")
        }
    }

    /// Whether the user was asked to sign in, and did not.
    private static func isOfUser(_ error: OAuthClientError) -> Bool {
        [.cancelled, .timedOut, .userAgentFailed, .authorizationRejected].contains(error.code)
    }

    /// Notes that the server may have lost the registration of the client.
    ///
    /// A server that does not know a client shows an error page, and sends the browser nowhere (RFC 6749 section 4.1.2.1).
    /// Without this, the app would show the user that page for ever. Whoever only closes the browser loses nothing.
    private func noteNoResponse(to plan: MCPPlan) async {
        guard plan.record.client == .registeredItself, !plan.isNewClient else { return }
        let (stored, record) = (planner.registrations.stored, plan.record)
        // In a task of its own: the caller may be cancelled. What cannot be stored now is noted after the next sign-in.
        let task = Task { try await stored.noteNoResponse(to: record.clientID, at: record.issuer) }
        _ = await task.result
    }

    private func finish(
        _ callback: AuthorizationCallback,
        _ client: OAuth2Client,
        _ plan: MCPPlan,
        after earlier: MCPServerRecord?
    ) async throws(OAuthClientError) -> OAuthSession {
        let session = try await client.resumeSignIn(callback)
        var record = plan.record
        record.follow(earlier)
        // Another process may have signed in meanwhile.
        let stored = try? await storedRecord()
        record.follow(stored)
        if let registration = plan.registration {
            // Before the record, so that a session that is stored never has a client that counts as unused. If it cannot be
            // stored, the next sign-in registers again, or is noted.
            try? await planner.registrations.stored.noteSuccess(of: registration, at: record.issuer, for: server)
        }
        try await save(record)
        current = (session, record)
        isUntried = true
        await endFormerAccounts()
        return session
    }

    /// The client of a session.
    ///
    /// Once its user has signed out, and the server knows it, the secret of a registration that was replaced goes too: nobody
    /// may ever sign in again.
    ///
    /// - Parameters:
    ///   - plan: How to sign in.
    ///   - isFormer: Whether another session has taken the place of its session.
    /// - Returns: The client.
    /// - Throws: ``OAuthClientError``, with the codes of ``session()``.
    func client(for plan: MCPPlan, isFormer: Bool = false) throws(OAuthClientError) -> OAuth2Client {
        var configuration = try plan.configuration(configuration, for: url)
        configuration.whenSignOutIsDone = { [weak self, planner, record = plan.record] in
            await planner.release(record)
            if !isFormer { await self?.endFormerAccounts() }
        }
        return try makeClient(plan, configuration)
    }

    /// How the client of a session authenticates; `nil` if it has a secret of its own registration, which is gone or expired.
    func authentication(of record: MCPServerRecord) async throws(OAuthClientError) -> ClientAuthentication? {
        switch record.client {
        case .document: return ClientAuthentication.none
        case .registeredByHand: return identity.registered[record.issuer]?.authentication ?? ClientAuthentication.none
        case .registeredItself: return try await planner.registrations.stored.authentication(of: record)
        }
    }

    func storedRecord() async throws(OAuthClientError) -> MCPServerRecord? {
        do {
            return try await store.record(MCPServerRecord.key(of: url)).flatMap { MCPServerRecord(stored: $0) }
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the record of the MCP server cannot be read")
        }
    }

    func save(_ record: MCPServerRecord) async throws(OAuthClientError) {
        do {
            try await store.save(record.json, for: MCPServerRecord.key(of: url))
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the record of the MCP server cannot be stored")
        }
    }
}
