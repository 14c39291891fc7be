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
        _ request: ProvenRequest<AuthenticatedRequest<DeviceCodeReads>>,
        _ services: Services
    ) throws(ProtocolFailure) -> DeviceRequest {
        _ = try request.requiredParameter("device_code")
        let reads = request.base.reads
        guard let presented = request.secret(in: "device_code", as: .deviceCode), let device = reads.device,
            device.clientID.isIdentical(to: request.client.clientID)
        else { throw .deviceCodeRejected }
        return DeviceRequest(
            token: request.tokenRequest(),
            presented: presented,
            device: device,
            isAllowed: reads.isAllowed,
            grant: reads.grant
        )
    }
}

extension ProtocolFailure {
    /// One error for every invalid device code.
    static let deviceCodeRejected = ProtocolFailure(
        .invalidGrant,
        "the device code is unknown, used before, revoked, or of another client"
    )
}
