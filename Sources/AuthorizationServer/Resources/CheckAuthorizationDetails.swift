// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 9396 section 5: the types exist, the client is registered for them, and each detail is valid for its type.
struct CheckAuthorizationDetails<Base: ClientStage>: Check {
    let section = "RFC 9396 section 5"

    func run(
        _ request: consuming AccessRequest<Base>,
        _ services: Services
    ) throws(ProtocolFailure) -> AccessRequest<Base> {
        guard let details = try request.form.requestedDetails() else { return request }
        let client = request.client
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
        request.details = details
        return request
    }

    private static func refused(_ description: String) -> ProtocolFailure {
        ProtocolFailure(.invalidAuthorizationDetails, description)
    }
}
