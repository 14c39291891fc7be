// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// How much of the memory for proofs of pushed requests one client and one address may use.
///
/// Anyone can make such proofs, with as many keys as they like, and a proof that is not recorded could be replayed (RFC
/// 9449 section 11.1). So a share that is used up rejects requests of that client or address, and the others go on being
/// recorded. A proof is remembered for less than the period of a limit, which lets through at most twice its count.
final class PushedProofShares: Sendable {
    private let clients: KeyedLimiter<String>
    private let addresses: AddressLimiter

    init(_ limits: RateLimits) {
        clients = KeyedLimiter(limits.pushedProofsOfClient)
        addresses = AddressLimiter(limits.pushedProofsOfAddress)
    }

    /// Takes a place for a proof.
    ///
    /// - Parameters:
    ///   - clientID: The client that the request names.
    ///   - address: Where the request comes from; `nil` if that is not known.
    ///   - now: The time.
    /// - Throws: A failure with 429 for a share that is used up.
    func take(_ clientID: String, from address: IPAddress?, at now: Timestamp) throws(ProtocolFailure) {
        if let wait = addresses.take(address, at: now) {
            throw .tooManyRequests("with proofs from this address", retryAfter: wait)
        }
        if let wait = clients.take(clientID, at: now) {
            addresses.giveBack(address)
            throw .tooManyRequests("with proofs of this client", retryAfter: wait)
        }
    }
}
