// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// RFC 9449 section 5: if the device sent a proof when it requested the codes, it redeems them with the same key.
struct CheckDeviceKeyBinding: Rule {
    let section = "RFC 9449 section 5"

    func check(_ request: DeviceRequest, _ services: Services) throws(ProtocolFailure) {
        guard let expected = request.device.dpopThumbprint else { return }
        guard let proof = request.proof else {
            throw ProtocolFailure.missingProof("the device code is")
        }
        guard proof.thumbprint == expected else {
            throw ProtocolFailure(.invalidGrant, "the proof is of another key than the device code is bound to")
        }
    }
}
