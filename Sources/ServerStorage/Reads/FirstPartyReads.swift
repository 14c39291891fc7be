// SPDX-License-Identifier: Apache-2.0

/// What the checks of a sign-in without a browser look at, all of one moment.
public struct FirstPartyReads: Sendable, Hashable {
    /// The client that the request names, or that of the session if it names none.
    public var client: RegisteredClient?
    /// The session, also if it has expired; `nil` if it is unknown or has ended.
    public var session: StoredFirstPartySession?
    /// The account with the user name that was typed.
    public var namedUser: UserAccount?
    /// Whether that account signed in before with the key of the session: the key has a finished session of it, or a
    /// refresh token.
    public var isKnownKey: Bool

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - session: The session.
    ///   - namedUser: The account with the user name that was typed.
    ///   - isKnownKey: Whether that account signed in before with the key of the session.
    public init(
        client: RegisteredClient? = nil,
        session: StoredFirstPartySession? = nil,
        namedUser: UserAccount? = nil,
        isKnownKey: Bool = false
    ) {
        self.client = client
        self.session = session
        self.namedUser = namedUser
        self.isKnownKey = isKnownKey
    }
}
