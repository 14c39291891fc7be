// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 8628 section 3.4: the device code exists and was issued to this client.
///
/// One transaction then checks the user's decision, and whether the code was used or has expired.
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
    /// One error for every invalid device code.
    static let deviceCodeRejected = ProtocolFailure(
        .invalidGrant,
        "the device code is unknown, used before, revoked, or of another client"
    )
}
