// SPDX-License-Identifier: Apache-2.0

// A command-line tool that signs its user in once, and calls an API with tokens that only its key can use:
//
//     notes-cli ISSUER URL FOLDER      calls URL; signs in first if nobody is signed in
//     notes-cli ISSUER logout FOLDER   signs out: the server revokes the tokens, key and tokens are deleted

import Foundation
import FoundationNetworking
import Keybound

let arguments = CommandLine.arguments
guard arguments.count == 4, let url = URL(string: arguments[2]) else {
    print("usage: notes-cli ISSUER URL|logout FOLDER")
    exit(2)
}
let client = try OAuth2Client(
    issuer: arguments[1],
    clientID: "tool",
    redirectURI: "http://127.0.0.1/callback",
    // For a server on this machine; leave it out for one in the world.
    configuration: .allowingInsecureHTTPOnLoopback,
    // For keys in hardware: .directory(arguments[3], keysIn: ...).
    storage: .directoryWithUnencryptedKeys(arguments[3])
)

do {
    var session = try await client.restoreSession()
    if arguments[2] == "logout" {
        await session?.signOut()
        print("signed out")
        exit(0)
    }
    if session == nil {
        // The tokens are for this API alone.
        var options = AuthorizationOptions()
        options.resources = [arguments[2]]
        session = try await client.signIn(scopes: ["notes:read"], using: .systemBrowser, options: options)
    }
    guard let (data, response) = try await session?.data(for: URLRequest(url: url)) else { exit(1) }
    print((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
} catch {
    // What happened, and what the user can do about it.
    print(error.localizedDescription, error.recoverySuggestion ?? "")
    exit(1)
}
