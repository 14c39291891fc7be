// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

/// Assigns users to shards: one byte in the identifier of everything that belongs to a user.
///
/// A keyed hash of the subject: identifiers of grants stand in access tokens, and a plain hash would let two APIs find
/// out that their pairwise subjects are the same user.
package struct ShardKey: Sendable {
    /// The size of the secret in bytes.
    package static let size = 32

    private let key: HMACSHA256Key

    /// Uses the secret of a database.
    ///
    /// - Parameter secret: 32 bytes, the same for all servers that share the database.
    package init(_ secret: [UInt8]) {
        key = HMACSHA256Key(secret)
    }

    /// The shard of a user.
    ///
    /// - Parameter subject: `sub`; for what belongs to no user, `client_id`.
    /// - Returns: The shard.
    package func shard(of subject: String) -> UInt8 {
        key.authenticationCode(for: Array(subject.utf8)).bytes[0]
    }
}
