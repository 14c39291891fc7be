// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// RFC 9396 section 6: an access token has the granted details, or fewer.
struct CheckGrantedDetails<Base: ClientStage>: Check {
    let section = "RFC 9396 section 6"

    func run(
        _ request: consuming GrantedRequest<Base>,
        _ services: Services
    ) throws(ProtocolFailure) -> GrantedRequest<Base> {
        // The endpoint rejects a revoked grant, with the error of the grant type.
        guard let asked = try request.form.requestedDetails(), let granted = request.granted else { return request }
        guard asked.allSatisfy({ detail in granted.grant.authorizationDetails.contains { detail.isWithin($0) } }) else {
            throw ProtocolFailure(
                .invalidAuthorizationDetails,
                "the authorization_details are not within what was granted"
            )
        }
        request.granted?.details = asked
        return request
    }
}
