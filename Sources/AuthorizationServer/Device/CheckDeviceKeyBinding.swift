// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// RFC 9449 section 5: a device that proved its key when it asked for the codes is the only one that gets tokens for them.
struct CheckDeviceKeyBinding: Rule {
    let section = "RFC 9449 section 5"

    func check(_ request: DeviceRequest, _ services: Services) throws(ProtocolFailure) {
        guard let expected = request.device.dpopThumbprint else { return }
        guard let proof = request.proof else {
            throw ProtocolFailure(.invalidDPoPProof, "the device code is bound to a key: a DPoP proof is required")
        }
        guard proof.thumbprint == expected else {
            throw ProtocolFailure(.invalidGrant, "the proof is of another key than the device code is bound to")
        }
    }
}
