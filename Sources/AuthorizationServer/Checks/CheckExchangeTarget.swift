// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore

/// RFC 8693 section 2.1: what is asked for is an access token, for APIs that the subject token's grant is for.
struct CheckExchangeTarget: Check {
    let section = "RFC 8693 section 2.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        if let type = try request.parameter("requested_token_type") {
            guard type == TokenTypeIdentifier.accessToken.rawValue else {
                throw ProtocolFailure(.invalidRequest, "the requested_token_type is not that of access tokens")
            }
        }
        let subject = try request.established(request.exchange).subject
        var asked = try request.requestedResources()
        if let audience = try request.parameter("audience") { asked.append(audience) }
        let granted = services.configuration.resources(at: subject.grant.resources)
        let names = asked.isEmpty ? subject.claims.audience : asked
        let resources = names.compactMap { name in granted.first { $0.address.isIdentical(to: name) } }
        guard resources.count == names.count else { throw .targetRefused }
        request.target = try AccessTokenTarget(resources, services.configuration)
    }
}
