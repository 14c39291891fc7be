// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A proof created for one request; it is not printed.
public struct DPoPProofForRequest: Sendable, RedactedSecret {
    /// The value of the `DPoP` field.
    public let value: String
    /// The nonce in the proof, if any.
    public let nonce: String?
    let origin: String
    let role: DPoPServerRole
    let request: UInt64
}
