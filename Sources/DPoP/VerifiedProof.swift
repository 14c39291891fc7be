// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import StrictJSON

/// A proof that passed every check except for replay (RFC 9449 section 11.1).
///
/// Record it last, when every other check of the request has passed; see
/// ``DPoPProofVerifier/record(_:in:at:)-(_,ReplayStore,_)``.
public struct VerifiedProof: Sendable {
    let checkedHeader: VerifiedHeader
    /// The claims of the proof, with their types checked.
    public let claims: ProofClaims
    /// The age of the nonce in the proof; `nil` without a nonce, or if nonces are off.
    public let nonceAge: Duration?
    /// The replay memory in which the proof must be recorded; `nil` if nonces are off, or made for no memory.
    public let replayEpoch: ReplayEpoch?
    /// The key under which the proof is stored to detect replay.
    public let replayKey: ReplayKey
    /// The time until which the proof must be stored, since it could be accepted.
    public let retainUntil: Timestamp

    /// The public key of the client.
    public var key: JWK { checkedHeader.key }
    /// The thumbprint of the key to which tokens are bound.
    public var thumbprint: JWKThumbprint { checkedHeader.thumbprint }
    /// The header, as JSON.
    public var header: JSONObject { checkedHeader.jwsHeader.object }
    /// The payload, as JSON.
    public var payload: JSONObject { claims.payload }
    /// The thumbprint as in `cnf.jkt` of an access token (RFC 9449 section 6.1): 43 characters of base64url.
    public var jwkThumbprint: String { thumbprint.description }
}
