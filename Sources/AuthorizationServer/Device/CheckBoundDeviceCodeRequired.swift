// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// RFC 9449 section 10: where authorization codes must be bound to a key, device codes must be too.
///
/// A device code has no `dpop_jkt`: the proof of the device authorization request binds it (``CheckDeviceKeyBinding``).
/// Without it, whoever copies the code can fetch the tokens with another key.
struct CheckBoundDeviceCodeRequired<Stage: ProvenStage>: Rule {
    let section = "RFC 9449 section 10"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        guard services.requiresBoundCodes(of: request.client), request.proof == nil else { return }
        throw .missingProof("device codes of this client are")
    }
}
