// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import StrictJSON

/// A proof that passed every check but the last: whether it was used before (RFC 9449 section 11.1).
///
/// What is remembered is written last, when everything else about the request holds; see
/// ``DPoPProofVerifier/record(_:in:at:)-(_,ReplayStore,_)``.
public struct VerifiedProof: Sendable {
    let checkedHeader: VerifiedHeader
    /// The claims.
    public let claims: ProofClaims
    /// How old the nonce of the proof is; `nil` without a nonce, or when nonces are off.
    public let nonceAge: Duration?
    /// What is remembered.
    public let replayKey: ReplayKey
    /// Until when the proof could be accepted, and so must be remembered.
    public let retainUntil: Timestamp

    /// The public key of the client.
    public var key: JWK { checkedHeader.key }
    /// The thumbprint of the key: what tokens are bound to.
    public var thumbprint: JWKThumbprint { checkedHeader.thumbprint }
    /// The header, as JSON.
    public var header: JSONObject { checkedHeader.jwsHeader.object }
    /// The payload, as JSON.
    public var payload: JSONObject { claims.payload }
    /// The thumbprint as text, as `cnf.jkt` of an access token spells it (RFC 9449 section 6.1): 43 characters of base64url.
    public var jwkThumbprint: String { thumbprint.description }
}
