// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem
import StrictJSON

/// What a person allowed a client, or a client has for itself: every token is given out under a grant, and dies with it.
public struct Grant: Sendable, Hashable {
    /// The identifier: the milliseconds since 1970 in six bytes and ten random bytes, in base64url.
    public var id: String
    /// Who may use it.
    public var clientID: String
    /// Who allowed it (`sub`); the identifier of the client when nobody did.
    public var subject: String
    /// What was allowed.
    public var scope: Scope
    /// The APIs that tokens can be for; only the default one when there are none (RFC 8707).
    public var resources: [String] = []
    /// What was allowed in more words than a scope has (RFC 9396).
    public var authorizationDetails: [AuthorizationDetail] = []
    /// When the person had signed in (`auth_time`); when it was given out when nobody had.
    public var authenticatedAt: Timestamp
    /// How (`acr`, `amr`).
    public var authentication: AuthenticationContext
    /// When it was allowed.
    public var createdAt: Timestamp
    /// The grant of the token that was exchanged for one under this grant, which ends with it (RFC 8693).
    public var parentID: String?

    /// Makes a grant.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - clientID: Who may use it.
    ///   - subject: Who allowed it.
    ///   - scope: What was allowed.
    ///   - authenticatedAt: When the person had signed in.
    ///   - authentication: How.
    ///   - createdAt: When it was allowed.
    ///   - parentID: The grant of the token that was exchanged.
    public init(
        id: String,
        clientID: String,
        subject: String,
        scope: Scope,
        authenticatedAt: Timestamp,
        authentication: AuthenticationContext = AuthenticationContext(),
        createdAt: Timestamp,
        parentID: String? = nil
    ) {
        self.id = id
        self.clientID = clientID
        self.subject = subject
        self.scope = scope
        self.authenticatedAt = authenticatedAt
        self.authentication = authentication
        self.createdAt = createdAt
        self.parentID = parentID
    }

    /// Whether no person is behind it: the client acts for itself (RFC 6749 section 4.4, RFC 9068 section 2.2).
    public var isOfClientItself: Bool { subject.isIdentical(to: clientID) }
}

extension Grant {
    /// A new identifier.
    ///
    /// Those that are made one after another begin alike, as in RFC 9562 section 5.7: they lie side by side in a database, so a
    /// grant costs the same however many are stored.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - entropy: Gives the random bytes.
    /// - Returns: 22 characters.
    package static func newID(at now: Timestamp, _ entropy: any Entropy) -> String {
        Base64URL.encode(now.millisecondsSince1970.bigEndianOctets.suffix(6) + entropy.bytes(10))
    }
}
