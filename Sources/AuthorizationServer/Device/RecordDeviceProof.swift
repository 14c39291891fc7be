// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 9449 section 11.1: a proof of a device can be used once.
///
/// Anyone can request device codes that no user ever allows, and poll with as many keys as they like. So until the user
/// has allowed the device, its proofs are recorded like those of pushed requests, with shares of their own for clients
/// and addresses (``PushedProofShares``). A poll beyond a share is told to slow down, as every device understands (RFC
/// 8628 section 3.5); that is no rejected guess, unless an address sends more of them than devices do. No poll is answered
/// without recording its proof, which could otherwise fetch tokens: once the user has allowed the device, or with
/// another grant of the same key.
struct RecordDeviceProof: Record {
    let section = "RFC 9449 section 11.1"

    func record(
        _ request: DeviceRequest,
        in recording: inout Recording,
        _ services: Services
    ) async throws(ProtocolFailure) {
        guard request.isAllowed else {
            do throws(ProtocolFailure) {
                try await RecordProof<DeviceRequest>(.pushed, share: .poll).record(request, in: &recording, services)
            } catch {
                guard error.status == 429 else { throw error }
                if services.limiters.waitingPolls.take(services.limitedAddress, at: request.now) == nil {
                    RequestTrace.current?.isAskedToWait = true
                }
                throw ProtocolFailure(.slowDown, "too many devices poll: wait 5 seconds longer from now on")
            }
            // The storage finds a proof in any pool. Separate stores do not, so the proof also goes to that of tokens.
            guard services.replay.isApart else { return }
            try await RecordProof<DeviceRequest>(.granted).record(request, in: &recording, services)
            return
        }
        try await RecordProof<DeviceRequest>(.granted).record(request, in: &recording, services)
    }
}
