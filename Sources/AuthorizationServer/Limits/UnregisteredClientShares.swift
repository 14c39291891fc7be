// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

/// How many assertions and request objects are remembered per address for clients that no operator registered.
///
/// Anyone can register many clients with keys, or publish many metadata documents, so a limit per client does not help.
/// These clients have a pool of their own (``/ServerStorage/SingleUseEntry/Pool/assertionsOfUnregisteredClients``), of
/// which each address gets a share: an address that floods the server must wait, and clients elsewhere are still
/// served.
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

    /// Takes one place of the share of an address.
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
