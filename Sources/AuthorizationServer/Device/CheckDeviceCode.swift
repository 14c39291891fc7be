// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 8628 section 3.4: the device code was given out, and to this client.
///
/// What the person said, and whether it is spent or expired, is decided when the device asks, in one transaction.
struct CheckDeviceCode: Check {
    let section = "RFC 8628 section 3.4"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let client = try request.established(request.client)
        let hash = SecretHash(of: try request.requiredParameter("device_code"))
        let device = try await services.stored { try await $0.deviceAuthorization(hash) }
        guard let device, device.clientID.isIdentical(to: client.clientID) else { throw .deviceCodeRefused }
        request.device = device
    }
}

extension ProtocolFailure {
    /// One answer for every device code that does not work.
    static let deviceCodeRefused = ProtocolFailure(
        .invalidGrant,
        "the device code is unknown, used before, revoked, or of another client"
    )
}
