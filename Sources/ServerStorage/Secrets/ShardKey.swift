// SPDX-License-Identifier: Apache-2.0

package import OAuthCrypto

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

    /// A key for something else that all servers of the database can make and verify.
    ///
    /// - Parameter purpose: A fixed word, different from every subject.
    /// - Returns: The key.
    package func derived(for purpose: StaticString) -> HMACSHA256Key {
        // A shard is one byte of such a code, so even a subject with this text would not give the key away.
        HMACSHA256Key(key.authenticationCode(for: Array("\u{0}\(purpose)".utf8)).bytes)
    }

    /// The shard of a user.
    ///
    /// - Parameter subject: `sub`; for what belongs to no user, `client_id`.
    /// - Returns: The shard.
    package func shard(of subject: String) -> UInt8 {
        key.authenticationCode(for: Array(subject.utf8)).bytes[0]
    }
}
