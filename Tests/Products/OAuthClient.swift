// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthClient

// An app outside of this package, that asks for a sign-in. Nobody answers at this address.
let client = try OAuth2Client(
    issuer: "http://127.0.0.1:9",
    clientID: "my-app",
    redirectURI: "http://127.0.0.1/callback",
    configuration: .allowingInsecureHTTPOnLoopback
)
do {
    _ = try await client.fetchAuthorizationServerMetadata()
    // The verdict of this program.
    preconditionFailure("an answer from a port where nobody listens")
} catch {
    precondition(error.code == .transportFailed, "\(error.code)")
    print("OAuthClient works by itself: \(error.localizedDescription)")
}
