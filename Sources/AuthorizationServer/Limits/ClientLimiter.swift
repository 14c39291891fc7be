// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthSystem
import ServerStorage

/// Enforces a ``RateLimit`` per client: for a client with a credential of its own overall, for a public client per
/// address, for an attested client per installation.
///
/// Anyone can use the `client_id` of a public client, and every phone that of an attested one. If it alone were counted,
/// an attacker could lock the client out.
final class ClientLimiter: Sendable {
    /// The key under which a client is counted.
    struct Key: Hashable {
        fileprivate let clientID: String
        /// The address of a public client; `nil` for an authenticated client.
        fileprivate let subscriber: IPAddress?
        /// The key of an installation; `nil` for a client that is not attested.
        fileprivate let installation: JWKThumbprint?

        /// - Returns: `nil` for a public client without an address to count.
        init?(_ request: ClientRequest, from address: IPAddress?) {
            let isPublic = request.client.isPublic
            guard !isPublic || address != nil else { return nil }
            clientID = request.client.clientID
            subscriber = isPublic ? address?.subscriber : nil
            installation = request.attestation?.thumbprint
        }
    }

    private let confidentialClients: KeyedLimiter<Key>
    private let publicClients: KeyedLimiter<Key>

    init(_ limit: RateLimit?, ofPublicClients publicLimit: RateLimit?) {
        confidentialClients = KeyedLimiter(limit)
        publicClients = KeyedLimiter(publicLimit)
    }

    /// Counts one request of a client.
    ///
    /// - Returns: How long it must wait; `nil` if it may proceed.
    func take(_ key: Key, at now: Timestamp) -> Duration? {
        limiter(of: key).take(key, at: now)
    }

    /// The last counted request was harmless.
    func giveBack(_ key: Key) {
        limiter(of: key).giveBack(key)
    }

    private func limiter(of key: Key) -> KeyedLimiter<Key> {
        key.subscriber == nil && key.installation == nil ? confidentialClients : publicClients
    }
}
