// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthSystem
import ServerStorage

/// How much of the memory for proofs of pushed requests one client and one address may use.
///
/// Device authorization requests are included. Polls of devices that wait for their user have shares of their own, as
/// large as these: a client whose many devices wait can still start sign-ins.
///
/// Anyone can make such proofs, with as many keys as they like, and a proof that is not recorded could be replayed (RFC
/// 9449 section 11.1). So once a share is used up, requests of that client or address are rejected, and those of others
/// are still recorded. Strangers with ten addresses or more can use up the share of a public client: its requests with
/// a proof must then wait. Without this share, twenty addresses could fill the memory, and every client would have to
/// wait. A share for each pair of client and address would limit nothing, since one IPv6 network has many thousand
/// addresses.
///
/// A proof is remembered for less than the period of a limit, which lets through at most twice its count. So all proofs
/// of a client, with the polls of its devices, take at most half of the memory, and those of an address a twentieth.
final class PushedProofShares: Sendable {
    /// Who has a share: a client, or one installation of an attested client.
    struct Holder: Hashable {
        let clientID: String
        var installation: JWKThumbprint?
    }

    /// Which shares a proof counts towards.
    enum Kind {
        /// Those of requests that anyone can make.
        case request
        /// Those of polls of devices that wait for their user.
        case poll
    }

    private let requests: Limiters
    private let polls: Limiters

    init(_ limits: RateLimits) {
        (requests, polls) = (Limiters(limits), Limiters(limits))
    }

    /// Takes a place for a proof.
    ///
    /// - Parameters:
    ///   - kind: Which shares it counts towards.
    ///   - holder: The client that the request names.
    ///   - address: Where the request comes from; `nil` if that is not known.
    ///   - now: The time.
    /// - Throws: A failure with 429 for a share that is used up.
    func take(
        _ kind: Kind,
        of holder: Holder,
        from address: IPAddress?,
        at now: Timestamp
    ) throws(ProtocolFailure) {
        let limiters = kind == .poll ? polls : requests
        if let wait = limiters.addresses.take(address, at: now) {
            throw .tooManyRequests("with proofs from this address", retryAfter: wait)
        }
        if let wait = limiters.clients.take(holder, at: now) {
            limiters.addresses.giveBack(address)
            throw .tooManyRequests("with proofs of this client", retryAfter: wait)
        }
    }

    /// The limiters of one kind.
    private struct Limiters {
        let clients: KeyedLimiter<Holder>
        let addresses: AddressLimiter

        init(_ limits: RateLimits) {
            clients = KeyedLimiter(limits.pushedProofsOfClient)
            addresses = AddressLimiter(limits.pushedProofsOfAddress)
        }
    }
}

extension ClientRequest {
    /// Whose share its proofs take.
    var holder: PushedProofShares.Holder {
        PushedProofShares.Holder(clientID: client.clientID, installation: attestation?.thumbprint)
    }
}
