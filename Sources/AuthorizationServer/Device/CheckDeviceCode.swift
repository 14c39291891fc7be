// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 8628 section 3.4: the device code was given out, and to this client.
///
/// What the person said, and whether it is spent or expired, is decided when the device asks, in one transaction.
struct CheckDeviceCode: Check {
    let section = "RFC 8628 section 3.4"

    func run(
        _ request: Found<TokenRequest, StoredDeviceAuthorization>,
        _ services: Services
    ) throws(ProtocolFailure) -> DeviceRequest {
        _ = try request.base.requiredParameter("device_code")
        guard let device = request.value, device.clientID.isIdentical(to: request.base.client.clientID) else {
            throw .deviceCodeRejected
        }
        return DeviceRequest(token: request.base, device: device)
    }
}

extension ProtocolFailure {
    /// One answer for every device code that does not work.
    static let deviceCodeRejected = ProtocolFailure(
        .invalidGrant,
        "the device code is unknown, used before, revoked, or of another client"
    )
}
