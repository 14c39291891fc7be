// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the grant of a code or a refresh token (RFC 8707 section 2.2): what the token may be for.
///
/// After the checks of the code or token itself: a request that they reject costs no second read.
struct ReadGrant<Stage: GrantStage>: Read {
    let section = "RFC 8707 section 2.2"

    func run(_ request: Stage, _ services: Services) async throws(ProtocolFailure) -> Found<Stage, Grant> {
        let grantID = request.grantID
        return Found(base: request, value: try await services.stored { try await $0.grant(grantID) })
    }
}
