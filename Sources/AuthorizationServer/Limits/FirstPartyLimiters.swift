// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthSystem
import ServerStorage

/// How many sign-ins without a browser an installation or an address has open, and how many wrong answers it sends by
/// RFC 6585 section 4.
///
/// Never counted by client: an app has millions of installations, and one of them must not use up the limit of all. An
/// attested client is counted by its key, any other by its address.
final class FirstPartyLimiters: Sendable {
    /// A count that is taken until it turns out to be harmless.
    struct Taken {
        fileprivate let give: () -> Void

        func giveBack() {
            give()
        }
    }

    private let openOfKeys: KeyedLimiter<JWKThumbprint>
    private let openOfAddresses: AddressLimiter
    private let wrongOfKeys: KeyedLimiter<JWKThumbprint>

    init(_ policy: FirstPartyPolicy) {
        openOfKeys = KeyedLimiter(RateLimit(20, per: policy.sessionLifetime))
        openOfAddresses = AddressLimiter(RateLimit(100, per: policy.sessionLifetime))
        wrongOfKeys = KeyedLimiter(RateLimit(20, per: .seconds(600)))
    }

    /// Counts a sign-in that begins.
    ///
    /// - Throws: A failure with 429 if too many are open.
    func open(_ request: some ProvenStage, _ services: Services, at now: Timestamp) throws(ProtocolFailure) {
        let wait =
            if let key = Self.attestedKey(of: request) {
                openOfKeys.take(key, at: now)
            } else {
                openOfAddresses.take(services.limitedAddress, at: now)
            }
        guard let wait else { return }
        services.record(.limitReached, detail: "open sign-ins")
        throw .tooManyRequests("that begin a sign-in and leave it open", retryAfter: wait)
    }

    /// A sign-in is no longer open.
    func close(_ request: some ProvenStage, _ services: Services) {
        if let key = Self.attestedKey(of: request) {
            openOfKeys.giveBack(key)
        } else {
            openOfAddresses.giveBack(services.limitedAddress)
        }
    }

    /// Counts an answer of an installation, which may be wrong.
    ///
    /// - Returns: The count, to be given back if the answer is not wrong.
    /// - Throws: A failure with 429 if too many were wrong.
    func answer(_ request: some ProvenStage, _ services: Services, at now: Timestamp) throws(ProtocolFailure) -> Taken {
        guard let key = Self.attestedKey(of: request) else { return Taken {} }
        if let wait = wrongOfKeys.take(key, at: now) {
            services.record(.limitReached, detail: "wrong answers of an app")
            throw .tooManyRequests("with wrong answers of this app", retryAfter: wait)
        }
        return Taken { [wrongOfKeys] in wrongOfKeys.giveBack(key) }
    }

    private static func attestedKey(of request: some ProvenStage) -> JWKThumbprint? {
        request.client.isAttested ? request.proof?.thumbprint : nil
    }
}
