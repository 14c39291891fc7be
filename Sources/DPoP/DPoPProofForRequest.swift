// SPDX-License-Identifier: Apache-2.0

/// A proof created for one request.
public struct DPoPProofForRequest: Sendable {
    /// The value of the `DPoP` field.
    public let value: String
    /// The nonce in the proof, if any.
    public let nonce: String?
    let origin: String
    let role: DPoPServerRole
    let request: UInt64
}
