// SPDX-License-Identifier: Apache-2.0

// An API whose requests need an access token and a proof of its key:
//
//     notes-api ISSUER PORT

import Foundation
import HTTPServer
import KeyboundAPI

let arguments = CommandLine.arguments
guard arguments.count == 3, let port = UInt16(arguments[2]) else {
    print("usage: notes-api ISSUER PORT")
    exit(2)
}
let apiGuard = try RequestGuard(
    issuer: arguments[1],
    address: "http://127.0.0.1:\(port)",
    metadata: PublishedMetadata(scopes: try Scope(["notes:read"]), name: "Notes")
)
let reading = GuardRequirement(scope: try Scope(["notes:read"]))

let listener = try HTTPListener(port: port) { request in
    if let metadata = apiGuard.metadataResponse(to: request) { return metadata }
    switch await apiGuard.check(request, for: reading) {
    case .rejected(let rejection): return rejection.response
    case .accepted(let caller):
        let notes = "notes of \(caller.subject): water the plants\n"
        return HTTPResponse(status: 200, fields: caller.responseFields, body: Array(notes.utf8))
    }
}
print("listening on http://127.0.0.1:\(listener.port)")
while true { try await Task.sleep(for: .seconds(3600)) }
