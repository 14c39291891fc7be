// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage

extension StoredFirstPartySession {
    /// Why a value does not continue this session, for audit events; the client is told nothing of it.
    ///
    /// OAuth 2.0 for First-Party Applications sections 5.3.1 and 9.6.1.
    ///
    /// - Parameters:
    ///   - value: The value that the request has.
    ///   - client: The client.
    ///   - key: The key of the proof.
    ///   - now: The time.
    /// - Returns: `nil` if the value, the client, the key and the time are right.
    func problem(
        with value: AuthSession,
        of client: RegisteredClient,
        by key: JWKThumbprint?,
        at now: Timestamp
    ) -> String? {
        guard request.clientID.isIdentical(to: client.clientID) else { return "other client" }
        guard let key, request.dpopThumbprint == key else { return "other key" }
        guard valueHash == value.hash else { return "old value" }
        return now < expiresAt ? nil : "expired"
    }
}

extension ProtocolFailure {
    /// One error for every session that cannot be continued: it does not reveal whether the session exists (OAuth 2.0
    /// for First-Party Applications section 5.2.2.1).
    static let sessionRejected = ProtocolFailure(
        .invalidSession,
        "the sign-in is unknown, over, or not of this app and key: start again"
    )

    static func sessionRejected(_ problem: String) -> ProtocolFailure {
        var failure = sessionRejected
        failure.problem = problem
        return failure
    }

    /// Too many passwords wait to be hashed.
    static let signInsBusy = ProtocolFailure(
        .temporarilyUnavailable,
        "too many people sign in at this moment",
        status: 503,
        fields: ["Retry-After": "2"]
    )
}
