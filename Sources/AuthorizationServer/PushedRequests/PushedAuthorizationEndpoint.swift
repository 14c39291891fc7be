// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage
import StrictJSON

/// The pushed authorization request endpoint (RFC 9126 section 2).
struct PushedAuthorizationEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let request = ReceivedRequest(http, at: services.addresses.pushedAuthorization, now: services.clock.now())
        do {
            let checked = try await CheckTable.pushedAuthorization.run(request, services)
            let (uri, stored) = CheckedAuthorizationRequest(checked.stage).pending(services)
            try await services.write(checked.recording, for: checked.stage) { storage, recording in
                try await storage.add(stored, recording: recording, at: request.now)
            }
            return response(uri, after: checked.stage)
        } catch {
            return .failure(error)
        }
    }

    /// RFC 9126 section 2.2.
    private func response(_ uri: RequestURI, after request: some ProvenStage) -> HTTPResponse {
        let lifetime = services.configuration.lifetimes.authorizationRequest.components.seconds
        var response = HTTPResponse.json(
            ["request_uri": .string(uri.text), "expires_in": .init(integerLiteral: lifetime)],
            status: 201
        )
        response.offerNonce(after: request, services)
        return response
    }
}
