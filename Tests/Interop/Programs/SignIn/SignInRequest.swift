// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import OAuthCore

/// Where to sign in, as whom, and what to call then.
struct SignInRequest: Sendable {
    let issuer: String
    let clientID: String
    let redirectURI: String
    let scopes: [String]
    /// A URL that wants the token, such as that of the userinfo endpoint.
    let protectedURL: String
    /// Whether the server knows no DPoP, so that Bearer tokens must do.
    let acceptsBearer: Bool
    /// Whether resources and authorization details are asked for, as the server was set up for that.
    let asksForAccess: Bool
    /// What the client shows who it is with; `nil` for a public client.
    let clientSecret: ClientSecret?
    /// Whether the request is signed, with a key that the script registers.
    let signsRequest: Bool
    /// How the answer is to come back.
    let responseMode: ResponseMode

    init?(arguments: some Sequence<String>) {
        let all = Array(arguments)
        let options = all.filter { $0.hasPrefix("--") }
        let words = all.filter { !$0.hasPrefix("--") }
        acceptsBearer = options.contains("--accept-bearer")
        asksForAccess = options.contains("--access")
        signsRequest = options.contains("--sign-request")
        let value = { (name: String) in options.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) } }
        responseMode = value("--response-mode=").map(ResponseMode.init) ?? .query
        clientSecret = value("--client-secret=").map { ClientSecret($0) }
        guard words.count == 5 else { return nil }
        issuer = words[0]
        clientID = words[1]
        redirectURI = words[2]
        scopes = words[3].split(separator: " ").map(String.init)
        protectedURL = words[4]
    }
}
