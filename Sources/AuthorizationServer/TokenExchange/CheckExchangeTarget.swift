// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem

/// RFC 8693 section 2.1: the client requests an access token, for APIs that the subject token is for.
struct CheckExchangeTarget: Check {
    let section = "RFC 8693 section 2.1"

    func run(
        _ request: ExchangeRequest,
        _ services: Services
    ) throws(ProtocolFailure) -> TargetedRequest<ExchangeRequest> {
        if let type = try request.parameter("requested_token_type") {
            guard type == TokenTypeIdentifier.accessToken.rawValue else {
                throw ProtocolFailure(.invalidRequest, "the requested_token_type is not that of access tokens")
            }
        }
        let audience = request.exchange.subject.claims.audience
        var asked = try request.form.requestedResources()
        // A client may name the API both ways; it is one audience of the token.
        if let name = try request.parameter("audience"), !asked.contains(where: { $0.isIdentical(to: name) }) {
            asked.append(name)
        }
        let names = asked.isEmpty ? audience : asked
        let resources = names.compactMap { name in
            audience.contains { $0.isIdentical(to: name) } ? services.configuration.resource(name) : nil
        }
        guard resources.count == names.count else { throw .targetRejected }
        return TargetedRequest(base: request, target: try AccessTokenTarget(resources, services.configuration))
    }
}
