// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// Why a client attestation is rejected: for audit events and counters, in fixed words.
///
/// The client learns whether a new attestation may help, and no more.
enum AttestationRefusal: String {
    /// The client is registered for attestation, and sent none.
    case missing
    /// Not one JWT of this kind with the required members, or not valid yet.
    case malformed
    /// Sent with a proof of possession of its own, which this server has no use for.
    case proof
    /// No attester of this client has such a key.
    case attester
    /// The signature does not verify, or is of an algorithm that is not allowed.
    case signature
    /// For another client.
    case client
    /// `exp` has passed.
    case expired
    /// `iat` is longer ago than the attester's `maximumAge`.
    case age
    /// It contains no public key, or another than that of the DPoP proof.
    case key

    /// draft-ietf-oauth-attestation-based-client-auth-11 section 7.4.
    fileprivate var code: OAuthErrorCode {
        switch self {
        case .expired, .age: .useFreshAttestation
        default: .invalidClientAttestation
        }
    }

    fileprivate var description: String {
        switch self {
        case .missing: "the client authenticates by attestation: send OAuth-Client-Attestation"
        case .proof: "the DPoP proof is the proof of possession: send no OAuth-Client-Attestation-PoP"
        case .expired, .age: "the client attestation is too old: get a new one"
        case .key: "the client attestation is not of the key of the DPoP proof"
        default: "the client attestation is not valid for this client at this server"
        }
    }
}

extension ProtocolFailure {
    /// A client attestation is rejected.
    ///
    /// - Parameters:
    ///   - reason: Why, for the operator.
    ///   - attester: The attester, where it is known.
    /// - Returns: The failure, with the reason for audit events.
    static func attestationRefused(_ reason: AttestationRefusal, of attester: String? = nil) -> ProtocolFailure {
        var failure = ProtocolFailure(reason.code, reason.description)
        failure.problem = reason.rawValue + (attester.map { " of \($0)" } ?? "")
        return failure
    }
}
