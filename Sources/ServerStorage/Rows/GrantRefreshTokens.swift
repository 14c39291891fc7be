// SPDX-License-Identifier: Apache-2.0

import OAuthCore
package import OAuthSystem

/// The refresh tokens of a grant as its row has them, for a token that names the grant.
package struct GrantRefreshTokens: Sendable {
    /// How many columns it has.
    package static let columnCount: Int32 = 13

    /// The token that names the grant; it may be of another family.
    package let token: GrantSecret
    /// The client of the grant.
    package let clientID: String
    /// Whether the grant is revoked.
    package let isRevoked: Bool
    /// The tokens.
    package let state: RefreshTokenState

    /// The token as it was issued.
    package var stored: StoredRefreshToken { state.stored(token, of: clientID) }

    /// Reads the columns `client_id`, whether the grant is revoked, and then the values of ``RefreshTokenState`` with
    /// `was_unbound` as the third.
    ///
    /// - Parameters:
    ///   - token: A token that names the grant.
    ///   - row: A row of `grants`.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(_ token: GrantSecret, row: some StoredRow) throws(StorageError) {
        self.token = token
        clientID = try row.text(0)
        isRevoked = try row.flag(1)
        state = try RefreshTokenState(row: row)
    }

    /// Whether the token can be used now.
    ///
    /// - Parameter now: The time.
    /// - Returns: Whether it is the current one and has not expired, and the grant is in force.
    package func isLive(at now: Timestamp) -> Bool {
        !isRevoked && state.isLive(token, at: now)
    }
}

extension RefreshTokenState {
    /// Its values, in the order in which the row of the grant is updated.
    package var storedValues: [StoredValue] {
        [
            .hash(familyHash),
            .text(scope.description),
            .flag(wasUnbound),
            .hash(current.hash),
            .optional(current.dpopThumbprint),
            .time(current.expiresAt),
            .optional(previous?.token.hash),
            .optional(previous?.token.dpopThumbprint),
            .optional(previous?.token.expiresAt),
            .optional(previous?.usedAt),
            .count(previous?.reissues ?? 0),
        ]
    }

    /// Reads the columns of ``storedValues``, which begin at the third one of the row.
    fileprivate init(row: some StoredRow) throws(StorageError) {
        var previous: Previous?
        if let hash = try row.optionalHash(8) {
            previous = Previous(
                token: Token(
                    hash: hash,
                    dpopThumbprint: try row.optionalThumbprint(9),
                    expiresAt: try row.time(10)
                ),
                usedAt: try row.time(11),
                reissues: try row.count(12)
            )
        }
        self.init(
            familyHash: try row.hash(2),
            scope: try row.scope(3),
            current: Token(
                hash: try row.hash(5),
                dpopThumbprint: try row.optionalThumbprint(6),
                expiresAt: try row.time(7)
            ),
            previous: previous,
            wasUnbound: try row.flag(4)
        )
    }
}
