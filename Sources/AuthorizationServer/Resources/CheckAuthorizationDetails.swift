// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 9396 section 5: the details are of types that exist and the client is registered for, and say what those may say.
struct CheckAuthorizationDetails: Check {
    let section = "RFC 9396 section 5"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        guard let details = try request.requestedDetails() else { return }
        let client = try request.established(request.client)
        let resources = services.configuration.resources(at: request.resources)
        for detail in details {
            guard client.authorizationDetailTypes.contains(where: { $0.isIdentical(to: detail.type) }),
                let type = services.configuration.authorizationDetailType(detail.type)
            else { throw Self.refused("a type does not exist, or the client is not registered for it") }
            guard type.accepts(detail) else {
                throw Self.refused("a detail says what its type does not allow, or not what it must")
            }
            let isPlaced = (detail.locations ?? []).allSatisfy { location in
                resources.contains { $0.address.isIdentical(to: location) }
            }
            guard isPlaced else { throw Self.refused("a location is not among the resources that are asked for") }
        }
        request.authorizationDetails = details
    }

    private static func refused(_ description: String) -> ProtocolFailure {
        ProtocolFailure(.invalidAuthorizationDetails, description)
    }
}
