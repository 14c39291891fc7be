// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage

/// A token request with a device code that was issued to its client (RFC 8628 section 3.4).
struct DeviceRequest: ProvenStage {
    let token: TokenRequest
    let device: StoredDeviceAuthorization

    var clientRequest: ClientRequest { token.base }
    var proof: VerifiedProof? { token.proof }
}
