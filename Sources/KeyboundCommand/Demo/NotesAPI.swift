// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import ResourceServer
import StrictJSON

/// The small API of the demo: notes of the user that the access token was issued for.
struct NotesAPI: Sendable {
    static let scope = "notes:read"

    let requestGuard: RequestGuard
    private let needed: Scope

    init(requestGuard: RequestGuard) throws(OAuthCoreError) {
        self.requestGuard = requestGuard
        needed = try Scope([Self.scope])
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let metadata = requestGuard.metadataResponse(to: request) { return metadata }
        guard request.method == "GET", ["/notes", "/drafts"].contains(String(request.path)) else {
            return HTTPResponse(status: 404)
        }
        switch await requestGuard.check(request, for: GuardRequirement(scope: needed)) {
        case .rejected(let rejection):
            return rejection.response
        case .accepted(let authorized):
            let body: JSONObject = [
                "owner": .string(authorized.subject),
                "notes": ["Water the plants", "A stolen token without its key opens nothing"],
            ]
            var fields = authorized.responseFields
            fields["Content-Type"] = "application/json"
            return HTTPResponse(status: 200, fields: fields, body: JSONValue.object(body).encoded())
        }
    }
}
