// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import OAuthSystem
public import ServerStorage
import StrictJSON

extension PostgreSQLAuthorizationStorage {
    /// Stores a new session and ends the previous one; see ``/ServerStorage/SessionStore/start(_:replacing:)``.
    ///
    /// - Parameters:
    ///   - session: The new session.
    ///   - previous: The hash of the browser's previous cookie, if any.
    /// - Throws: ``/ServerStorage/StorageError``; also if a session with that cookie is already stored.
    public func start(
        _ session: BrowserSession,
        replacing previous: SecretHash?
    ) async throws(StorageError) {
        try await pool.write { connection throws(StorageError) in
            if try connection.isStored(session) { return }
            if let previous {
                try connection.run("DELETE FROM sessions WHERE id_hash = $1", [.hash(previous)])
            }
            try connection.run(
                """
                INSERT INTO sessions (id_hash, subject, authenticated_at, acr, amr, request_hash, expires_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
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
