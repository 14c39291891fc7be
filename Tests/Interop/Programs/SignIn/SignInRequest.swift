// SPDX-License-Identifier: Apache-2.0

import OAuthClient

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
    /// Whether the request is signed, with a key that the script registers.
    let signsRequest: Bool
    /// How the answer is to come back.
    let responseMode: ResponseMode

    init?(arguments: some Sequence<String>) {
        let all = Array(arguments)
        let options = all.filter { $0.hasPrefix("--") }
        let words = all.filter { !$0.hasPrefix("--") }
        acceptsBearer = options.contains("--accept-bearer")
        signsRequest = options.contains("--sign-request")
        let mode = options.first { $0.hasPrefix("--response-mode=") }?.dropFirst("--response-mode=".count)
        responseMode = mode.map { ResponseMode(rawValue: String($0)) } ?? .query
        guard words.count == 5 else { return nil }
        issuer = words[0]
        clientID = words[1]
        redirectURI = words[2]
        scopes = words[3].split(separator: " ").map(String.init)
        protectedURL = words[4]
    }
}
