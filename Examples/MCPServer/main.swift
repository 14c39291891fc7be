// SPDX-License-Identifier: Apache-2.0

// An MCP server that is protected by Keybound:
//
//     mcp-notes ISSUER PORT [--bearer]
//
// It takes tokens of the authorization server ISSUER for http://127.0.0.1:PORT/mcp, and prints its URL. With `--bearer` it
// also takes tokens that are bound to no key, as clients without DPoP need.

import Foundation
import HTTPMessage
import HTTPServer
import OAuthCore
import OAuthTransport
import ResourceServer

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 2, let port = UInt16(arguments[2]) else {
    print("usage: mcp-notes ISSUER PORT [--bearer]")
    exit(2)
}
let issuer = arguments[1]
let address = "http://127.0.0.1:\(port)"
var configuration = GuardConfiguration(
    issuer: issuer,
    address: try URI(parsing: address),
    audience: address + NotesServer.path
)
configuration.acceptsTokensThatAreBoundToNothing = arguments.contains("--bearer")
configuration.metadata = PublishedMetadata(
    scopes: try Scope([NotesServer.read, NotesServer.write]),
    name: "Notes"
)
let keys = JWKSetCache(uri: try URI(parsing: issuer + "/jwks"), transport: PlatformTransport())
let server = try NotesServer(requestGuard: RequestGuard(configuration: configuration, keys: keys))
let listener = try HTTPListener(port: port, handler: server.respond)
print("listening on \(address)\(NotesServer.path)")
while true { try await Task.sleep(for: .seconds(3600)) }
