// SPDX-License-Identifier: Apache-2.0

/// What the next page of a stored authorization request depends on, all of one moment.
public struct PendingRequestReads: Sendable, Hashable {
    /// The request; `nil` if it is unknown, expired or used.
    public var request: StoredAuthorizationRequest?
    /// Its client; `nil` if it is no longer registered.
    public var client: RegisteredClient?
    /// Who is signed in, with the consent that covers the details of the request.
    public var browser: SessionReads
    /// The account with the user name that was typed.
    public var namedUser: UserAccount?

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - client: Its client.
    ///   - browser: Who is signed in.
    ///   - namedUser: The account with the user name that was typed.
    public init(
        request: StoredAuthorizationRequest? = nil,
        client: RegisteredClient? = nil,
        browser: SessionReads = SessionReads(),
        namedUser: UserAccount? = nil
    ) {
        self.request = request
        self.client = client
        self.browser = browser
        self.namedUser = namedUser
    }
}
