// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Reads the grant of a code or refresh token, which limits what the access token may be for (RFC 8707 section 2.2).
///
/// Runs after the checks of the code or token: a request that they reject causes no second read.
struct ReadGrant<Stage: GrantStage>: Read {
    let section = "RFC 8707 section 2.2"

    func run(_ request: Stage, _ services: Services) async throws(ProtocolFailure) -> Found<Stage, Grant> {
        let grantID = request.grantID
        return Found(base: request, value: try await services.stored { try await $0.grant(grantID) })
    }
}
