// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import ServerStorage

/// Who is signed in while something is issued, until the transaction ends.
///
/// The session is locked before the request or the device that is answered in it, in one round trip: a session that
/// replaces another one takes over its requests in this order too.
extension PostgreSQLConnection {
    /// The session $1 of the user $3 with an account at $2, locked.
    private static let signedIn: StaticString = """
        SELECT 1 AS found FROM sessions JOIN users ON users.subject = sessions.subject
        WHERE sessions.id_hash = $1 AND sessions.expires_at > $2 AND sessions.subject = $3
        FOR KEY SHARE
        """

    /// Whether a user with an account is signed in.
    func hasSession(
        _ idHash: SecretHash,
        of subject: String,
        at now: Timestamp
    ) throws(StorageError) -> Bool {
        try row(
            SQL(joining: Self.signedIn),
            [.hash(idHash), .time(now), .text(subject)]
        ) { _ throws(StorageError) in true } ?? false
    }

    /// Locks a usable request, and the session in which it is answered.
    ///
    /// - Returns: Whether a user with an account is signed in, until this transaction ends; `nil` if the request cannot be
    ///   used.
    func lockRequest(
        _ referenceHash: SecretHash,
        in sessionHash: SecretHash,
        of subject: String,
        at now: Timestamp
    ) throws(StorageError) -> Bool? {
        try row(
            SQL(
                joining: "WITH /* authorization_requests */ signed_in AS (",
                Self.signedIn,
                """
                )
                SELECT signed_in.found IS NOT NULL FROM authorization_requests LEFT JOIN signed_in ON true
                WHERE handle_hash = $4 AND expires_at > $2 AND used_by IS NULL
                FOR UPDATE OF authorization_requests
                """
            ),
            [.hash(sessionHash), .time(now), .text(subject), .hash(referenceHash)]
        ) { row throws(StorageError) in try row.flag(0) }
    }

    /// Locks a device code, and the session in which it is allowed.
    ///
    /// - Returns: Whether a user with an account is signed in, until this transaction ends; `nil` if the device code is
    ///   unknown.
    func lockDevice(
        _ deviceCodeHash: SecretHash,
        in sessionHash: SecretHash,
        of subject: String,
        at now: Timestamp
    ) throws(StorageError) -> Bool? {
        try row(
            SQL(
                joining: "WITH /* device_authorizations */ signed_in AS (",
                Self.signedIn,
                """
                )
                SELECT signed_in.found IS NOT NULL FROM device_authorizations LEFT JOIN signed_in ON true
                WHERE device_code_hash = $4
                FOR UPDATE OF device_authorizations
                """
            ),
            [.hash(sessionHash), .time(now), .text(subject), .hash(deviceCodeHash)]
        ) { row throws(StorageError) in try row.flag(0) }
    }
}
#endif
