// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// The identifier of a grant that a client has for itself and that is not stored: it says all there is to know.
///
/// A client may ask for a token of its own at every request, so these grants would be most of what is written. Such a grant
/// is in force while its client is registered under the same ``RegisteredClient/registrationID``, with as many revocations as
/// then, and nobody revoked it alone; only that last thing is stored. What is in a token is signed, so nobody but the
/// server makes such identifiers.
public struct OwnGrantID: Sendable, Hashable, CustomStringConvertible {
    /// The registration of the client.
    public var registrationID: String
    /// How often all of the client's own grants had been revoked.
    public var revocations: Int
    /// When it was given out, in milliseconds since 1970.
    public var issuedAt: Timestamp
    /// When the only access token under it ends.
    public var endsAt: Timestamp
    /// What tells it from others: what the identifier of a stored grant would be.
    public var name: String

    /// Makes an identifier.
    ///
    /// - Parameters:
    ///   - registrationID: The registration of the client, without a dot.
    ///   - revocations: How often all of the client's own grants had been revoked.
    ///   - issuedAt: When it was given out.
    ///   - endsAt: When the only access token under it ends.
    ///   - name: What tells it from others, without a dot.
    public init(registrationID: String, revocations: Int, issuedAt: Timestamp, endsAt: Timestamp, name: String) {
        self.registrationID = registrationID
        self.revocations = revocations
        self.issuedAt = issuedAt
        self.endsAt = endsAt
        self.name = name
    }

    /// Reads an identifier; `nil` for that of a grant that is stored, and for whatever ``description`` does not write.
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
        // There is one way to write it, or one that was revoked would be in force under another name.
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

extension OwnGrantID {
    /// The grant, if it is one of a client's: all that the client may have for itself.
    ///
    /// - Parameter client: Whoever is registered under ``registrationID``.
    /// - Returns: The grant; `nil` when the client is another one, or all of its own grants were revoked meanwhile.
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

    /// How long it must be remembered that it was revoked: longer than any clock takes its token for valid.
    ///
    /// A stored grant that is forgotten too early is as good as revoked; this one would be in force again. So it takes a clock
    /// that runs ahead by a day, and is set back, to forget a revocation that still matters.
    public var forgettableAt: Timestamp { endsAt + .seconds(86_400) }
}
