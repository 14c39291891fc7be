// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the client, the device code and its grant (RFC 8628 section 3.4).
struct ReadDeviceCode: Read {
    let section = "RFC 8628 section 3.4"

    func run(
        _ request: FormRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> PresentedRequest<DeviceCodeReads> {
        let code = request.secret(in: "device_code", as: .deviceCode)
        return try await PresentedRequest(request, services) { storage, clientID in
            try await storage.reads(ofDeviceCode: code, for: clientID)
        }
    }
}
