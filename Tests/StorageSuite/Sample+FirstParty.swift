// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
package import OAuthSystem
package import ServerStorage

extension Sample {
    /// A session whose values are named after it: `a 0` at first; it expires after five minutes.
    package static func firstParty(
        _ label: String,
        value: Int = 0,
        wrongAnswers: Int = 0,
        expiresAt: Timestamp = now + .seconds(300)
    ) throws -> StoredFirstPartySession {
        StoredFirstPartySession(
            id: grantID("session \(label)"),
            valueHash: hash("\(label) \(value)"),
            request: try request(label, thumbprint: thumbprint("key")).request,
            offered: [.password, .redirectToWeb],
            wrongAnswers: wrongAnswers,
            expiresAt: expiresAt
        )
    }

    /// The same, finished with the grant of a label.
    static func finished(
        _ label: String,
        value: Int = 1,
        grant: String? = nil,
        expiresAt: Timestamp = now + .seconds(8 * 3600)
    ) throws -> StoredFirstPartySession {
        var session = try firstParty(label, value: value, expiresAt: expiresAt)
        session.offered = []
        session.user = AuthenticatedUser(
            subject: "subject",
            authenticatedAt: now,
            authentication: AuthenticationContext(reference: "urn:example:pwd", methods: ["pwd"])
        )
        session.grantID = grantID(grant ?? label)
        return session
    }

    /// The account of every grant.
    static let account = user("alice", subject: "subject")
}

extension AuthorizationStorage {
    package func begin(_ session: StoredFirstPartySession) async throws {
        try await add(session, recording: .unique, at: Sample.now).outcome()
    }

    func advance(
        _ label: String,
        from value: Int,
        to next: StoredFirstPartySession,
        at now: Timestamp = Sample.now
    ) async throws -> Bool {
        try await advance(from: Sample.hash("\(label) \(value)"), to: next, recording: .unique, at: now).outcome()
    }

    /// Finishes the session of a label with its grant and code.
    func finish(
        _ label: String,
        from value: Int = 0,
        as next: StoredFirstPartySession? = nil,
        code: String? = nil,
        judgedBy password: PasswordHash? = Sample.account.passwordHash,
        at now: Timestamp = Sample.now
    ) async throws -> FirstPartyCompletion {
        try await finish(
            from: Sample.hash("\(label) \(value)"),
            as: next ?? Sample.finished(label, grant: code),
            issuing: Sample.code(code ?? label),
            under: Sample.grant(code ?? label),
            judgedBy: password,
            recording: .unique,
            at: now
        ).outcome()
    }

    func leave(
        _ label: String,
        from value: Int = 0,
        storing request: StoredAuthorizationRequest? = nil,
        at now: Timestamp = Sample.now
    ) async throws -> Bool {
        try await leave(
            Sample.grantID("session \(label)"),
            from: Sample.hash("\(label) \(value)"),
            storing: request,
            recording: .unique,
            at: now
        ).outcome()
    }

    /// The session of a label, as the checks of a request read it.
    func firstParty(_ label: String, at now: Timestamp = Sample.now) async throws -> StoredFirstPartySession? {
        try await reads(
            ofFirstPartySession: Sample.grantID("session \(label)"),
            for: nil,
            userNamed: nil,
            at: now
        ).session
    }

    /// Whether the key of a session is known for the account with a name.
    func isKnown(_ label: String, _ name: String, at now: Timestamp = Sample.now) async throws -> Bool {
        try await reads(
            ofFirstPartySession: Sample.grantID("session \(label)"),
            for: nil,
            userNamed: name,
            at: now
        ).isKnownKey
    }
}
