// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import ResourceServer
import StrictJSON

/// An API that says whom it takes the caller for.
struct NotesAPI: Sendable {
    let requestGuard: RequestGuard
    let needed: Scope

    @Sendable func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard request.path == "/notes" else { return HTTPResponse(status: 404) }
        switch await requestGuard.check(request, for: GuardRequirement(scope: needed)) {
        case .rejected(let rejection):
            return rejection.response
        case .accepted(let authorized):
            let body: JSONObject = [
                "sub": .string(authorized.subject), "client_id": .string(authorized.clientID),
                "method": .string(request.method),
            ]
            var fields = authorized.responseFields
            fields["Content-Type"] = "application/json"
            return HTTPResponse(status: 200, fields: fields, body: JSONValue.object(body).encoded())
        }
    }
}
