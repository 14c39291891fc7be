// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

extension TokenEndpoint {
    /// RFC 8628 section 3.4: a device polls for the user's decision, and gets its tokens once.
    func grantToDevice(_ form: FormRequest) async throws(ProtocolFailure) -> GrantedTokens {
        let request = try await CheckTable.deviceCode.run(form, services)
        let (hash, now) = (request.device.deviceCodeHash, request.now)
        let grantID = try Self.grantID(await services.stored { try await $0.pollDevice(hash, at: now) })
        let tokens = try await firstTokens(underGrant: grantID, for: request.token)
        let (refreshToken, end) = (tokens?.stored, now + services.configuration.lifetimes.accessToken)
        let redemption = try await services.stored {
            try await $0.redeemDevice(hash, issuing: refreshToken, until: end, at: now)
        }
        if redemption == .replayed {
            services.report("a device code was used twice: its grant \(grantID) is revoked")
            services.record(.reuseDetected, grantID: grantID, detail: "device code")
        }
        guard redemption == .first, let tokens else { throw .deviceCodeRejected }
        return tokens
    }

    /// Errors while the decision is pending or negative (section 3.5).
    private static func grantID(_ poll: DevicePoll) throws(ProtocolFailure) -> String {
        switch poll {
        case .allowed(let grantID): return grantID
        case .pending:
            RequestTrace.current?.isAskedToWait = true
            throw ProtocolFailure(.authorizationPending, "the person has not answered yet")
        case .slowDown: throw ProtocolFailure(.slowDown, "asked too soon: wait 5 seconds more from now on")
        case .denied: throw ProtocolFailure(.accessDenied, "the person said no")
        case .expired: throw ProtocolFailure(.expiredToken, "the person did not answer in time: start again")
        case .unknown: throw .deviceCodeRejected
        }
    }
}
