// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// Holds clients to a ``RateLimit``: one that has authenticated itself wherever it asks from, a public one at each address.
///
/// What a public client says of itself anybody can say. Counted by that alone, it could be kept out by anybody.
final class ClientLimiter: Sendable {
    /// What a client is counted by.
    struct Key: Hashable {
        fileprivate let clientID: String
        /// Where a public client asks from; `nil` for one that has authenticated itself.
        fileprivate let subscriber: IPAddress?

        /// - Returns: `nil` for a public client without an address to be counted by.
        init?(_ client: RegisteredClient, from address: IPAddress?) {
            guard !client.isPublic || address != nil else { return nil }
            clientID = client.clientID
            subscriber = client.isPublic ? address?.subscriber : nil
        }
    }

    private let confidentialClients: KeyedLimiter<Key>
    private let publicClients: KeyedLimiter<Key>

    init(_ limit: RateLimit?, ofPublicClients publicLimit: RateLimit?) {
        confidentialClients = KeyedLimiter(limit)
        publicClients = KeyedLimiter(publicLimit)
    }

    /// Counts one more of a client.
    ///
    /// - Returns: How long it has to wait instead; `nil` when it may go on.
    func take(_ key: Key, at now: Timestamp) -> Duration? {
        limiter(of: key).take(key, at: now)
    }

    /// What was counted last turned out to be harmless.
    func giveBack(_ key: Key) {
        limiter(of: key).giveBack(key)
    }

    private func limiter(of key: Key) -> KeyedLimiter<Key> {
        key.subscriber == nil ? confidentialClients : publicClients
    }
}
