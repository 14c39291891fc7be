// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import ServerStorage

/// Lets scripts of registered web origins call an endpoint, and read its responses (Fetch standard section 3.3, the CORS
/// protocol).
///
/// No endpoint of this kind looks at cookies, so responses never allow credentials. A request from any other origin is
/// answered as one without `Origin`, and its browser shows the response to no script.
struct CrossOriginAccess: Sendable {
    /// Longer ones are no origins: a host name has at most 253 bytes.
    private static let maximumLength = 280
    /// Named, because `*` does not include `Authorization`.
    private static let requestFields = "Authorization, Content-Type, DPoP"
    private static let responseFields = "DPoP-Nonce, WWW-Authenticate, Retry-After, X-Request-Id"

    /// The methods of the endpoint.
    let methods: String
    let services: Services

    /// Runs an action for a request that may come from a script.
    func run(_ request: HTTPRequest, _ action: Endpoint.Action) async -> HTTPResponse {
        let origins = request.fields.values(for: "Origin")
        guard let origin = origins.first else { return await action(request) }
        let isAllowed: Bool
        do {
            isAllowed = try await self.isAllowed(origins)
        } catch {
            return .failure(error)
        }
        let isPreflight = request.method == "OPTIONS" && request.fields["Access-Control-Request-Method"] != nil
        var response: HTTPResponse
        switch (isAllowed, isPreflight) {
        case (true, true):
            response = preflightResponse
        case (false, true):
            response = .text(status: 403, "No client is registered for this origin.\n")
        case (true, false):
            response = await action(request)
            response.fields["Access-Control-Expose-Headers"] = Self.responseFields
        case (false, false):
            var anonymous = request
            anonymous.fields["Origin"] = nil
            response = await action(anonymous)
        }
        response.fields["Vary"] = "Origin"
        response.fields["Access-Control-Allow-Origin"] = isAllowed ? origin : nil
        return response
    }

    private func isAllowed(_ origins: [String]) async throws(ProtocolFailure) -> Bool {
        guard origins.count == 1, origins[0].utf8.count <= Self.maximumLength else { return false }
        return try await services.stored { try await $0.isAllowed(webOrigin: origins[0]) }
    }

    private var preflightResponse: HTTPResponse {
        HTTPResponse(
            status: 204,
            fields: [
                "Access-Control-Allow-Methods": methods, "Access-Control-Allow-Headers": Self.requestFields,
                "Access-Control-Max-Age": "600",
            ]
        )
    }
}
