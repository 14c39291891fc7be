// SPDX-License-Identifier: Apache-2.0

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

    init?(arguments: some Sequence<String>) {
        var words = Array(arguments)
        acceptsBearer = words.last == "--accept-bearer"
        asksForAccess = words.last == "--access"
        if acceptsBearer || asksForAccess { words.removeLast() }
        guard words.count == 5 else { return nil }
        issuer = words[0]
        clientID = words[1]
        redirectURI = words[2]
        scopes = words[3].split(separator: " ").map(String.init)
        protectedURL = words[4]
    }
}
