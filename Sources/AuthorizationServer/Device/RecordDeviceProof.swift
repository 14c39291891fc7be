// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 9449 section 11.1: a proof of a device can be used once.
///
/// Anyone can request device codes that no user ever allows, and poll with as many keys as they like. So until the user
/// has allowed the device, its proofs are recorded like those of pushed requests, with shares for clients and addresses
/// (``PushedProofShares``). A poll beyond a share is told to slow down, as every device understands (RFC 8628 section
/// 3.5). No poll is answered without recording its proof, which could otherwise fetch the tokens once the user has
/// allowed the device.
struct RecordDeviceProof: Record {
    let section = "RFC 9449 section 11.1"

    func record(
        _ request: DeviceRequest,
        in recording: inout Recording,
        _ services: Services
    ) async throws(ProtocolFailure) {
        guard request.isAllowed else {
            do throws(ProtocolFailure) {
                try await RecordProof<DeviceRequest>(.pushed).record(request, in: &recording, services)
            } catch {
                guard error.status == 429 else { throw error }
                throw ProtocolFailure(.slowDown, "too many devices poll: wait 5 seconds longer from now on")
            }
            return
        }
        try await RecordProof<DeviceRequest>(.granted).record(request, in: &recording, services)
        // The storage finds a proof in any pool. Separate stores do not, so look in that of the polls too.
        if services.replay.isApart {
            let polls = RecordProof<DeviceRequest>(.pushed, takesShare: false)
            try await polls.record(request, in: &recording, services)
        }
    }
}
