// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// RFC 8707 section 2.2: an access token is for APIs that were granted, all of them or fewer.
struct CheckTokenTarget: Check {
    let section = "RFC 8707 section 2.2"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        guard let grantID = request.code?.grantID ?? request.refreshToken?.grantID else {
            // A client that asks for itself is granted what it asks for.
            request.target = try AccessTokenTarget(
                services.configuration.resources(at: request.resources),
                services.configuration
            )
            return
        }
        // A grant that is revoked is refused by the endpoint, in the words of its kind.
        guard let grant = try await services.stored({ try await $0.grant(grantID) }) else { return }
        request.grant = grant
        let asked = try request.requestedResources()
        // To name all of them is no choice either: clients repeat what they asked for first.
        guard !asked.isEmpty, Set(asked) != Set(grant.resources) else {
            request.target = try AccessTokenTarget(of: grant, services.configuration)
            return
        }
        let granted = services.configuration.resources(at: grant.resources)
        let resources = asked.compactMap { address in granted.first { $0.address.isIdentical(to: address) } }
        guard resources.count == asked.count else { throw .targetRefused }
        request.target = try AccessTokenTarget(resources, services.configuration)
    }
}
