// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// Identifies a client credentials grant.
///
/// Such grants are not stored; the identifier carries all of their state. A client may request such a token for every
/// request, so these grants would be most of the writes. The grant is in force while three conditions hold: its client
/// is registered under the same ``RegisteredClient/registrationID``, the count of revocations is unchanged, and the
/// grant was not revoked individually. Only an individual revocation is stored. Tokens are signed, so only the server
/// can make such identifiers.
public struct ClientCredentialsGrantID: Sendable, Hashable, CustomStringConvertible {
    /// The registration of the client.
    public var registrationID: String
    /// How often all client credentials grants of the client had been revoked.
    public var revocations: Int
    /// When it was issued, in milliseconds since 1970.
    public var issuedAt: Timestamp
    /// When its only access token expires.
    public var endsAt: Timestamp
    /// A unique name, in the form of a stored grant's identifier.
    public var name: String

    /// Makes an identifier.
    ///
    /// - Parameters:
    ///   - registrationID: The registration of the client, without a dot.
    ///   - revocations: How often all client credentials grants of the client had been revoked.
    ///   - issuedAt: When it was issued.
    ///   - endsAt: When its only access token expires.
    ///   - name: A unique name, without a dot.
    public init(registrationID: String, revocations: Int, issuedAt: Timestamp, endsAt: Timestamp, name: String) {
        self.registrationID = registrationID
        self.revocations = revocations
        self.issuedAt = issuedAt
        self.endsAt = endsAt
        self.name = name
    }

    /// Reads an identifier; `nil` for that of a stored grant, and for any text that ``description`` does not write.
    ///
    /// - Parameter text: The identifier of a grant.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), text.utf8.count <= 256 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, let revocations = Int(parts[2]), let issued = Int64(parts[3]), let end = Int64(parts[4])
        else { return nil }
        self.init(
            registrationID: parts[1],
            revocations: revocations,
            issuedAt: Timestamp(millisecondsSince1970: issued),
            endsAt: Timestamp(millisecondsSince1970: end),
            name: parts[5]
        )
        // There must be one spelling: otherwise a revoked grant would be in force under another name.
        guard description.isIdentical(to: text) else { return nil }
    }

    /// The identifier: ASCII, at most 256 bytes.
    public var description: String {
        "\(Self.prefix)\(registrationID).\(revocations).\(issuedAt.millisecondsSince1970)"
            + ".\(endsAt.millisecondsSince1970).\(name)"
    }

    // Identifiers of stored grants are base64url, which has no dot.
    private static let prefix = "own."
}

extension ClientCredentialsGrantID {
    /// The grant, with everything that the client may have without a user.
    ///
    /// - Parameter client: The client that is registered under ``registrationID``.
    /// - Returns: The grant; `nil` if the client is another one, or all of its client credentials grants were revoked
    ///   in the meantime.
    public func grant(of client: RegisteredClient) -> Grant? {
        guard client.registrationID?.isIdentical(to: registrationID) ?? false, client.ownGrantRevocations == revocations
        else { return nil }
        return Grant(
            id: description,
            clientID: client.clientID,
            subject: client.clientID,
            scope: client.scope,
            authenticatedAt: issuedAt,
            createdAt: issuedAt
        )
    }

    /// When a stored revocation can be deleted: later than any clock still accepts the token.
    ///
    /// A stored grant that is deleted too early is as good as revoked, but this grant would be in force again. That
    /// would need a clock that runs a day ahead and is then set back.
    public var forgettableAt: Timestamp { endsAt + .seconds(86_400) }
}
