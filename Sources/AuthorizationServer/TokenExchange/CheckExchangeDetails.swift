// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 9396 section 6: the new token has the authorization details of the subject token, or fewer, and only of types that
/// the client is registered for.
///
/// Without the parameter, details of other types are left out; ``CheckExchangeScope`` does the same with scopes.
struct CheckExchangeDetails: Check {
    let section = "RFC 9396 section 6"

    func run(
        _ request: ScopedRequest<TargetedRequest<ExchangeRequest>>,
        _ services: Services
    ) throws(ProtocolFailure) -> DetailedExchange {
        let allowed = services.configuration
            .details(request.base.exchange.subject.authorizationDetails, allowedTo: request.client)
        guard let asked = try request.form.requestedDetails() else {
            return DetailedExchange(base: request, details: allowed)
        }
        guard asked.allSatisfy({ detail in allowed.contains { detail.isWithin($0) } }) else {
            throw ProtocolFailure(
                .invalidAuthorizationDetails,
                "the authorization_details are not within those of the subject token and the types of the client"
            )
        }
        return DetailedExchange(base: request, details: asked)
    }
}
