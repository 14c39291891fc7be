// SPDX-License-Identifier: Apache-2.0

package import JOSE
package import OAuthCore
package import OAuthSystem

/// The refresh tokens of a grant: the current one and the one before it.
///
/// It has the rule of ``GrantStore/rotate(_:to:grace:recording:at:)`` for all drivers (RFC 9700 section 4.14.2): a token
/// of the grant's family that is neither current nor, within its grace, the one before is reuse. Older tokens need not
/// be stored to be recognized, so a grant does not grow with each refresh.
package struct RefreshTokenState: Sendable {
    /// How often the token before the current one may be exchanged again within its grace.
    ///
    /// A client that loses two responses in a row still recovers. More attempts are not those of one client.
    package static let maximumReissues = 2

    /// A token that was issued.
    package struct Token: Sendable {
        /// Its hash.
        package var hash: SecretHash
        /// The key to which it is bound; `nil` if it is not bound.
        package var dpopThumbprint: JWKThumbprint?
        /// When it expires.
        package var expiresAt: Timestamp

        /// Makes a value.
        ///
        /// - Parameters:
        ///   - hash: Its hash.
        ///   - dpopThumbprint: The key to which it is bound.
        ///   - expiresAt: When it expires.
        package init(hash: SecretHash, dpopThumbprint: JWKThumbprint?, expiresAt: Timestamp) {
            self.hash = hash
            self.dpopThumbprint = dpopThumbprint
            self.expiresAt = expiresAt
        }

        init(_ stored: StoredRefreshToken) {
            self.init(hash: stored.tokenHash, dpopThumbprint: stored.dpopThumbprint, expiresAt: stored.expiresAt)
        }
    }

    /// The token before the current one.
    package struct Previous: Sendable {
        /// The token.
        package var token: Token
        /// When it was first exchanged.
        package var usedAt: Timestamp
        /// How often it was exchanged again since then.
        package var reissues: Int

        /// Makes a value.
        ///
        /// - Parameters:
        ///   - token: The token.
        ///   - usedAt: When it was first exchanged.
        ///   - reissues: How often it was exchanged again since then.
        package init(token: Token, usedAt: Timestamp, reissues: Int) {
            self.token = token
            self.usedAt = usedAt
            self.reissues = reissues
        }
    }

    /// The hash of the part that all tokens of the grant share; see ``GrantSecret/familyHash``.
    package var familyHash: SecretHash
    /// The scope that a refresh can grant again.
    package var scope: Scope
    /// The current token.
    package var current: Token
    /// The token before it; `nil` for the first token of a grant.
    package var previous: Previous?
    /// Whether any token of the family was not bound to a key.
    package var wasUnbound: Bool

    /// Makes a state.
    ///
    /// - Parameters:
    ///   - familyHash: The hash of the part that all tokens of the grant share.
    ///   - scope: The scope that a refresh can grant again.
    ///   - current: The current token.
    ///   - previous: The token before it.
    ///   - wasUnbound: Whether any token of the family was not bound to a key.
    package init(familyHash: SecretHash, scope: Scope, current: Token, previous: Previous?, wasUnbound: Bool) {
        self.familyHash = familyHash
        self.scope = scope
        self.current = current
        self.previous = previous
        self.wasUnbound = wasUnbound
    }

    /// The state of a grant whose first token is issued.
    ///
    /// - Parameter first: The token.
    package init(first: StoredRefreshToken) {
        self.init(
            familyHash: first.familyHash,
            scope: first.scope,
            current: Token(first),
            previous: nil,
            wasUnbound: first.dpopThumbprint == nil
        )
    }

    /// Whether a presented token is of this family; compares in constant time.
    ///
    /// - Parameter token: The token.
    /// - Returns: Whether it was issued under this grant at some time.
    package func isOfFamily(_ token: GrantSecret) -> Bool {
        token.familyHash == familyHash
    }

    /// Whether a token can be used now, while its grant is in force.
    ///
    /// - Parameters:
    ///   - token: A token of the family.
    ///   - now: The time.
    /// - Returns: Whether it is the current one and has not expired.
    package func isLive(_ token: GrantSecret, at now: Timestamp) -> Bool {
        token.hash == current.hash && now < current.expiresAt
    }

    /// A token of the family as it was issued.
    ///
    /// - Parameters:
    ///   - token: A token of the family.
    ///   - clientID: The client of the grant.
    /// - Returns: The token. For one older than the previous one, no expiry is known, and it counts as not bound if any
    ///   token of the family was not: its reuse is then noticed without a proof, and nothing else can come of it.
    package func stored(_ token: GrantSecret, of clientID: String) -> StoredRefreshToken {
        let known = [current, previous?.token].compactMap(\.self).first { $0.hash == token.hash }
        return StoredRefreshToken(
            tokenHash: token.hash,
            familyHash: familyHash,
            grantID: token.grantID,
            clientID: clientID,
            scope: scope,
            dpopThumbprint: known.map(\.dpopThumbprint) ?? (wasUnbound ? nil : current.dpopThumbprint),
            expiresAt: (known ?? current).expiresAt
        )
    }
}
