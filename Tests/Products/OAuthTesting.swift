// SPDX-License-Identifier: Apache-2.0

import OAuthTesting

// An app's test, outside of this package: a sign-in, a request, a session that the server has ended.
let server = try await FakeAuthorizationServer(issuer: "https://auth.example", scopes: ["notes:read"])
let api = try FakeResourceServer(for: server)
try api.route("GET", "/notes", needing: ["notes:read"], json: "[]")
let client = try await server.makeClient(clientID: "my-app", redirectURI: "com.example.app:/callback")
let session = try await client.signIn(scopes: ["notes:read"], using: server.userAgent)
precondition(server.userAgent.pages.count == 2)

let tokens = try await session.tokenManager.fetch()
try server.revokeSessions()
server.expireAccessTokens()
do {
    _ = try await session.tokenManager.fetch()
    // The verdict of this program.
    preconditionFailure("a session goes on that the server has ended")
} catch {
    precondition(error.code == .sessionEnded)
}
// The verdict of this program.
guard let key = tokens.keyThumbprint else {
    preconditionFailure("the tokens are bound to no key")
}
print("OAuthTesting works by itself, key \(key)")
