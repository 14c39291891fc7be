// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// The user's decision about a device, which the device learns with its next poll (RFC 8628 section 3.3).
struct DeviceDecision {
    let services: Services

    /// Stores the grant and consumes the request, while the user is signed in.
    func allow(
        _ deviceCodeHash: SecretHash,
        _ pending: PendingAuthorization,
        under grant: Grant,
        in session: BrowserSession,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let reference = pending.uri.hash
        let isAllowed = try await services.stored {
            try await $0.allowDevice(
                deviceCodeHash,
                under: grant,
                consuming: reference,
                in: session.idHash,
                at: now
            )
        }
        guard isAllowed else { throw .requestGone }
        services.record(.consentGiven, subject: grant.subject, grantID: grant.id, detail: "device")
        return notice(.deviceAllowed)
    }

    /// Denies the request permanently and consumes it.
    func deny(
        _ deviceCodeHash: SecretHash,
        _ pending: PendingAuthorization,
        at now: Timestamp
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let reference = pending.uri.hash
        let attempt = services.newAttempt()
        let isDenied = try await services.stored {
            try await $0.denyDevice(deviceCodeHash, consuming: reference, by: attempt, at: now)
        }
        guard isDenied else { throw .requestGone }
        return notice(.deviceDenied)
    }

    private func notice(_ outcome: NoticePage.Outcome) -> HTTPResponse {
        .page(NoticePage(serverName: services.configuration.serverName, outcome: outcome).html(), services)
    }
}
