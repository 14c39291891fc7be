// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the code of a token request (RFC 6749 section 4.1.3).
///
/// Runs after client authentication and the check of the proof: a request without them causes no storage access, and
/// learns nothing about codes.
struct ReadCode: Read {
    let section = "RFC 6749 section 4.1.3"

    func run(
        _ request: TokenRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> Found<TokenRequest, StoredCode> {
        guard let hash = request.hash(of: "code") else { return Found(base: request, value: nil) }
        return Found(base: request, value: try await services.stored { try await $0.code(hash) })
    }
}
