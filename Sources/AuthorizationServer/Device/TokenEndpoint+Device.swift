// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

extension TokenEndpoint {
    /// RFC 8628 section 3.4: a device polls for the user's decision, and gets its tokens once.
    func grantToDevice(_ form: FormRequest) async throws(ProtocolFailure) -> GrantedTokens {
        let checked = try await CheckTable.deviceCode.run(form, services)
        let (request, recording) = (checked.stage, checked.recording)
        let (presented, now) = (request.presented, request.now)
        // An allowed device can have tokens until the code expires; a poll says why it gets none, or that it waits.
        guard request.isAllowed else {
            let poll = try await services.write(recording, for: request) { storage, recording in
                try await storage.pollDevice(presented, recording: recording, at: now)
            }
            throw Self.failure(poll)
        }
        let tokens = try await firstTokens(under: request.grant, for: request.token)
        let redemption = try await write(recording, with: tokens?.storedAccessToken, for: request.token) {
            storage,
            recording in
            try await storage.redeemDevice(
                presented,
                issuing: tokens?.stored,
                until: tokens?.end ?? now,
                recording: recording,
                at: now
            )
        }
        if redemption == .replayed { reportReuse(of: "device code", request.device.grantID) }
        guard redemption == .first, let tokens else {
            throw request.grant != nil && redemption == .unknown ? Self.failure(.expired) : .deviceCodeRejected
        }
        return tokens
    }

    /// Why a device gets no tokens yet, or never will (section 3.5).
    private static func failure(_ poll: DevicePoll) -> ProtocolFailure {
        switch poll {
        // The user allowed the device a moment ago: the next poll gets tokens.
        case .pending, .allowed:
            RequestTrace.current?.isAskedToWait = true
            return ProtocolFailure(.authorizationPending, "the user has not responded yet")
        case .slowDown: return ProtocolFailure(.slowDown, "polled too soon: wait 5 seconds longer from now on")
        case .denied: return ProtocolFailure(.accessDenied, "the user denied access")
        case .expired: return ProtocolFailure(.expiredToken, "the user did not respond in time: start again")
        case .unknown: return .deviceCodeRejected
        }
    }
}
