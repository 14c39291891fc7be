// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

/// A token request with a device code that was issued to its client (RFC 8628 section 3.4).
struct DeviceRequest: GrantStage, ProvenStage {
    let token: TokenRequest
    /// The device code as presented.
    let presented: GrantSecret
    let device: StoredDeviceAuthorization
    /// Whether the user had allowed the device when it was read.
    let isAllowed: Bool
    /// The grant of the device; `nil` if it is not in force.
    let grant: Grant?

    var clientRequest: ClientRequest { token.base }
    var proof: VerifiedProof? { token.proof }
}
