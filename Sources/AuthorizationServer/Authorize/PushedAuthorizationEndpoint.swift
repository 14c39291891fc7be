// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import StrictJSON

/// Takes an authorization request from the client itself (RFC 9126 section 2).
struct PushedAuthorizationEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        var request = ProtocolRequest(http, at: services.addresses.pushedAuthorization, now: services.clock.now())
        do {
            try await CheckTable.pushedAuthorization.run(&request, services)
            let handle = try await AskedRequest(request).store(services).handle
            return response(RequestURI.text(for: handle), after: request)
        } catch {
            return .failure(error)
        }
    }

    /// RFC 9126 section 2.2.
    private func response(_ requestURI: String, after request: ProtocolRequest) -> HTTPResponse {
        let lifetime = services.configuration.lifetimes.authorizationRequest.components.seconds
        var response = HTTPResponse.json(
            ["request_uri": .string(requestURI), "expires_in": .init(integerLiteral: lifetime)],
            status: 201
        )
        response.offerNonce(after: request, services)
        return response
    }
}
