// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage
import StrictJSON

extension SQLiteAuthorizationStorage {
    /// Stores a new session and ends the previous one; see
    /// ``/ServerStorage/SessionStore/start(_:replacing:judgedBy:)``.
    ///
    /// - Parameters:
    ///   - session: The new session.
    ///   - previous: The hash of the browser's previous cookie, if any.
    ///   - password: The hash that the user's password was checked against; `nil` if none was.
    /// - Returns: `false`, and nothing has changed, if the account was removed or has another password.
    /// - Throws: ``/ServerStorage/StorageError``; also if a session with that cookie is already stored.
    public func start(
        _ session: BrowserSession,
        replacing previous: SecretHash?,
        judgedBy password: PasswordHash?
    ) async throws(StorageError) -> Bool {
        try await writer.write { connection throws(StorageError) in
            if let expected = password, try connection.passwordHash(of: session.subject) != expected { return false }
            if try connection.isStored(session) { return true }
            if let previous {
                try connection.run("DELETE FROM sessions WHERE id_hash = ?", [.hash(previous)])
            }
            try connection.run(
                """
                INSERT INTO sessions (id_hash, subject, authenticated_at, acr, amr, request_hash, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .hash(session.idHash),
                    .text(session.subject),
                    .time(session.authenticatedAt),
                    .optional(session.authentication.reference),
                    .json(.strings(session.authentication.methods)),
                    .optional(session.requestHash),
                    .time(session.expiresAt),
                ]
            )
            try connection.bindRequests(to: session, replacing: previous)
            return true
        }
    }

    /// The session of a cookie; see ``/ServerStorage/SessionStore/session(_:at:)``.
    ///
    /// - Parameters:
    ///   - idHash: The hash of the cookie.
    ///   - now: The time.
    /// - Returns: The session; `nil` if there is none or it has ended.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func session(_ idHash: SecretHash, at now: Timestamp) async throws(StorageError) -> BrowserSession? {
        try await reader.perform { connection throws(StorageError) in
            try connection.session(idHash, at: now)
        }
    }

    /// Ends a session; does nothing if there is none.
    ///
    /// - Parameter idHash: The hash of the cookie.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func endSession(_ idHash: SecretHash) async throws(StorageError) {
        try await writer.write { connection throws(StorageError) in
            _ = try connection.run("DELETE FROM sessions WHERE id_hash = ?", [.hash(idHash)])
        }
    }
}

extension SQLiteConnection {
    func session(_ idHash: SecretHash, at now: Timestamp) throws(StorageError) -> BrowserSession? {
        try storedSession(idHash).flatMap { now < $0.expiresAt ? $0 : nil }
    }

    fileprivate func isStored(_ session: BrowserSession) throws(StorageError) -> Bool {
        try storedSession(session.idHash) == session
    }

    private func storedSession(_ idHash: SecretHash) throws(StorageError) -> BrowserSession? {
        try row(
            "SELECT subject, authenticated_at, acr, amr, request_hash, expires_at FROM sessions WHERE id_hash = ?",
            [.hash(idHash)]
        ) { row throws(StorageError) in
            BrowserSession(
                idHash: idHash,
                subject: try row.text(0),
                authenticatedAt: try row.time(1),
                authentication: try row.authentication(2, methods: 3),
                requestHash: try row.optionalHash(4),
                expiresAt: try row.time(5)
            )
        }
    }
}
#endif
