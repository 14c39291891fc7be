// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage
import StrictJSON

extension PostgreSQLAuthorizationStorage {
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
        try await pool.write { connection throws(StorageError) in
            // Before any session: a change of the password locks in this order too.
            if let expected = password, try connection.passwordHash(of: session.subject) != expected { return false }
            if let previous {
                try connection.run("DELETE FROM sessions WHERE id_hash = $1", [.hash(previous)])
            }
            guard try connection.insert(session) else {
                guard try connection.isStored(session) else { throw .isStoredOtherwise("the session") }
                return true
            }
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
        try await pool.read { connection throws(StorageError) in
            try connection.session(idHash, at: now)
        }
    }

    /// Ends a session; does nothing if there is none.
    ///
    /// - Parameter idHash: The hash of the cookie.
    /// - Throws: ``/ServerStorage/StorageError``.
    public func endSession(_ idHash: SecretHash) async throws(StorageError) {
        try await pool.write { connection throws(StorageError) in
            _ = try connection.run("DELETE FROM sessions WHERE id_hash = $1", [.hash(idHash)])
        }
    }
}

extension PostgreSQLConnection {
    func session(_ idHash: SecretHash, at now: Timestamp) throws(StorageError) -> BrowserSession? {
        try storedSession(idHash).flatMap { $0.ifLive(at: now) }
    }

    /// Stores a session, unless one with its cookie is stored.
    fileprivate func insert(_ session: BrowserSession) throws(StorageError) -> Bool {
        try run(
            """
            INSERT INTO sessions (id_hash, subject, authenticated_at, acr, amr, request_hash, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
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
        ) == 1
    }

    fileprivate func isStored(_ session: BrowserSession) throws(StorageError) -> Bool {
        try storedSession(session.idHash) == session
    }

    private func storedSession(_ idHash: SecretHash) throws(StorageError) -> BrowserSession? {
        try row(.session(idHash)) { row throws(StorageError) in try BrowserSession(idHash, row) }
    }
}

extension PostgreSQLStatement {
    static func session(_ idHash: SecretHash) -> Self {
        Self(
            "SELECT subject, authenticated_at, acr, amr, request_hash, expires_at FROM sessions WHERE id_hash = $1",
            [.hash(idHash)]
        )
    }
}

extension BrowserSession {
    /// Reads the row of ``PostgreSQLStatement/session(_:)``.
    init(_ idHash: SecretHash, _ row: PostgreSQLRow) throws(StorageError) {
        self.init(
            idHash: idHash,
            subject: try row.text(0),
            authenticatedAt: try row.time(1),
            authentication: try row.authentication(2, methods: 3),
            requestHash: try row.optionalHash(4),
            expiresAt: try row.time(5)
        )
    }

    func ifLive(at now: Timestamp) -> Self? { now < expiresAt ? self : nil }
}
#endif
