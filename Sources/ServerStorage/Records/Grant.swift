// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem
import StrictJSON

/// What a user allowed a client, or a client credentials grant.
///
/// Every token is issued under a grant and is revoked with it.
public struct Grant: Sendable, Hashable {
    /// The identifier: the milliseconds since 1970 in six bytes, the shard in one, then nine random bytes, in base64url.
    public var id: String
    /// The client of the grant.
    public var clientID: String
    /// The user who allowed it (`sub`); for a grant without a user, the identifier of the client.
    public var subject: String
    /// The granted scope.
    public var scope: Scope
    /// The APIs for which tokens can be issued; empty for only the default one (RFC 8707).
    public var resources: [String] = []
    /// The granted authorization details (RFC 9396).
    public var authorizationDetails: [AuthorizationDetail] = []
    /// When the user authenticated (`auth_time`).
    ///
    /// For a grant without a user, when it was issued.
    public var authenticatedAt: Timestamp
    /// How the user authenticated (`acr`, `amr`).
    public var authentication: AuthenticationContext
    /// When the grant was made.
    public var createdAt: Timestamp
    /// The grant of the subject token of a token exchange; this grant ends with it (RFC 8693).
    public var parentID: String?

    /// Makes a grant.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - clientID: The client of the grant.
    ///   - subject: The user who allowed it.
    ///   - scope: The granted scope.
    ///   - authenticatedAt: When the user authenticated.
    ///   - authentication: How the user authenticated.
    ///   - createdAt: When the grant was made.
    ///   - parentID: The grant of the exchanged token.
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

    /// Whether this is a client credentials grant, without a user (RFC 6749 section 4.4, RFC 9068 section 2.2).
    public var isOfClientItself: Bool { subject.isIdentical(to: clientID) }
}

extension Grant {
    /// Makes a new identifier.
    ///
    /// Consecutive identifiers begin alike, as in RFC 9562 section 5.7, so they are adjacent in a database. The cost of
    /// a grant does not grow with their number.
    ///
    /// - Parameters:
    ///   - shard: The shard of its user; see ``ShardKey``.
    ///   - now: The time.
    ///   - entropy: The source of random bytes.
    /// - Returns: 22 characters.
    package static func newID(in shard: UInt8, at now: Timestamp, _ entropy: any Entropy) -> String {
        Base64URL.encode(now.millisecondsSince1970.bigEndianBytes.suffix(6) + [shard] + entropy.bytes(9))
    }
}
