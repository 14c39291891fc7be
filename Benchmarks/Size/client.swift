// SPDX-License-Identifier: Apache-2.0

// Signs in and calls an API: the size that OAuthClient adds to a program.
import Foundation
import FoundationNetworking
import OAuthClient

guard CommandLine.arguments.count > 2, let api = URL(string: CommandLine.arguments[2]) else {
    _ = try OAuth2Client(issuer: "https://auth.example.com", clientID: "size", redirectURI: "http://127.0.0.1/callback")
    print("usage: client ISSUER API")
    _ = readLine()
    exit(0)
}
let client = try OAuth2Client(
    issuer: CommandLine.arguments[1],
    clientID: "size",
    redirectURI: "http://127.0.0.1/callback"
)
let session = try await client.signIn(scopes: ["notes:read"], using: .systemBrowser)
let (data, _) = try await session.data(for: URLRequest(url: api))
print(data.count)
await session.signOut()
