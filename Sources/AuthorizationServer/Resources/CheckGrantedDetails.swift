// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 9396 section 6: an access token has the details that were granted, or fewer.
struct CheckGrantedDetails: Check {
    let section = "RFC 9396 section 6"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        // A grant that is revoked is refused by the endpoint, in the words of its kind.
        guard let asked = try request.requestedDetails(), let grant = request.grant else { return }
        guard asked.allSatisfy({ detail in grant.authorizationDetails.contains { detail.isWithin($0) } }) else {
            throw ProtocolFailure(
                .invalidAuthorizationDetails,
                "the authorization_details are not within what was granted"
            )
        }
        request.authorizationDetails = asked
    }
}
