// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// The functions that sign-ins without a browser call.
extension CountedStorage {
    func add(
        _ session: StoredFirstPartySession,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Void> {
        try await count().add(session, recording: recording, at: now)
    }

    func advance(
        from value: SecretHash,
        to next: StoredFirstPartySession,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Bool> {
        try await intervene()
        return try await count().advance(from: value, to: next, recording: recording, at: now)
    }

    func finish(
        from value: SecretHash,
        as next: StoredFirstPartySession,
        issuing code: StoredCode,
        under grant: Grant,
        judgedBy password: PasswordHash?,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<FirstPartyCompletion> {
        try await intervene()
        return try await count().finish(
            from: value,
            as: next,
            issuing: code,
            under: grant,
            judgedBy: password,
            recording: recording,
            at: now
        )
    }

    func leave(
        _ id: String,
        from value: SecretHash,
        storing request: StoredAuthorizationRequest?,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Bool> {
        try await intervene()
        return try await count().leave(id, from: value, storing: request, recording: recording, at: now)
    }

    func reads(
        ofFirstPartySession id: String?,
        for clientID: String?,
        userNamed username: String?,
        at now: Timestamp
    ) async throws -> FirstPartyReads {
        try await count().reads(ofFirstPartySession: id, for: clientID, userNamed: username, at: now)
    }
}
