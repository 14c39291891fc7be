// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// How many assertions and request objects of clients that no operator registered one address may have remembered.
///
/// Anyone can register clients with keys, or publish metadata documents, so the limit for each client bounds nothing. These
/// clients have a pool of their own (``/ServerStorage/SingleUseEntry/Pool/assertionsOfUnregisteredClients``), and here each
/// address has a share of it: an address that floods waits, and the other clients go on.
///
/// An assertion is remembered for less than the period of its limit, and so is a request object. A limit lets through at
/// most twice its count in one period, so both together take at most a twentieth of the pool.
final class UnregisteredClientShares: Sendable {
    private let assertions: AddressLimiter
    private let requestObjects: AddressLimiter

    init(_ limits: RateLimits) {
        assertions = AddressLimiter(limits.unregisteredAssertionsOfAddress)
        requestObjects = AddressLimiter(limits.unregisteredRequestObjectsOfAddress)
    }

    /// Takes a place.
    ///
    /// - Parameters:
    ///   - kind: What is remembered.
    ///   - address: Where the request comes from; `nil` if that is not known.
    ///   - now: The time.
    /// - Throws: A failure with 429 for a share that is used up.
    func take(_ kind: SingleUseJWT.Kind, from address: IPAddress?, at now: Timestamp) throws(ProtocolFailure) {
        let limiter = kind == .clientAssertion ? assertions : requestObjects
        guard let wait = limiter.take(address, at: now) else { return }
        throw .tooManyRequests("with signed JWTs of clients from this address", retryAfter: wait)
    }
}
