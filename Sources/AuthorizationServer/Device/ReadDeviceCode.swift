// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the device code of a token request (RFC 8628 section 3.4), after client and proof are checked, as ``ReadCode``.
struct ReadDeviceCode: Read {
    let section = "RFC 8628 section 3.4"

    func run(
        _ request: TokenRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> Found<TokenRequest, StoredDeviceAuthorization> {
        guard let hash = request.hash(of: "device_code") else { return Found(base: request, value: nil) }
        return Found(base: request, value: try await services.stored { try await $0.deviceAuthorization(hash) })
    }
}
