// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A store for sign-ins without a browser.
///
/// A change names the value that it starts from. Of many changes from one value exactly one is made; all others are
/// lost and change nothing. The password of an account, its removal and the removal of a client end their sessions; a
/// finished session also ends with the grant of its last code. The rules are in `FirstPartySessionState`.
public protocol FirstPartySessionStore: Sendable {
    /// Stores a new session.
    ///
    /// Again: nothing happens if the same session is stored.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: Whether it was recorded.
    /// - Throws: An error of the driver; also if another session with that identifier is stored.
    func add(
        _ session: StoredFirstPartySession,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Void>

    /// Replaces an open session after an answer.
    ///
    /// Again: `true`, without any change.
    ///
    /// - Parameters:
    ///   - value: The hash of the value that the answer had.
    ///   - next: The session with its new value; its identifier and its request are those of before.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: `false`, and nothing has changed, if the session has another value, is finished, or is over.
    /// - Throws: An error of the driver.
    func advance(
        from value: SecretHash,
        to next: StoredFirstPartySession,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Bool>

    /// Replaces a session by a finished one, and stores the grant and the code of its request.
    ///
    /// A finished session whose grant is in force can be finished again, with the grant of another request. Again:
    /// ``FirstPartyCompletion/issued``, without any change.
    ///
    /// - Parameters:
    ///   - value: The hash of the value that the request had.
    ///   - next: The session with its new value, its user and the identifier of the grant.
    ///   - code: The code.
    ///   - grant: Its grant, of the user of the session.
    ///   - password: The hash that an answer was checked against, which the account must still have; `nil` if none was.
    ///   - recording: What is recorded with it.
    ///   - now: The time.
    /// - Returns: The outcome; unless it is ``FirstPartyCompletion/issued``, nothing has changed.
    /// - Throws: An error of the driver; also if the code or the grant is already stored.
    func finish(
        from value: SecretHash,
        as next: StoredFirstPartySession,
        issuing code: StoredCode,
        under grant: Grant,
        judgedBy password: PasswordHash?,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<FirstPartyCompletion>

    /// Ends an open session, and stores the request that a browser takes up.
    ///
    /// Again: `true` for the same attempt, until the session expires.
    ///
    /// - Parameters:
    ///   - id: The identifier of the session.
    ///   - value: The hash of its value.
    ///   - request: The request for the browser; `nil` if the sign-in ends here.
    ///   - recording: What is recorded with it; its attempt names the change.
    ///   - now: The time.
    /// - Returns: `false`, and nothing has changed, if the session has another value, is finished, or is over.
    /// - Throws: An error of the driver; also if another request with that reference is stored.
    func leave(
        _ id: String,
        from value: SecretHash,
        storing request: StoredAuthorizationRequest?,
        recording: Recording,
        at now: Timestamp
    ) async throws -> Recorded<Bool>
}
