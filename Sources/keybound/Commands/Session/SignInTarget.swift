// SPDX-License-Identifier: Apache-2.0

/// Where `keybound login` signs in, as which client, and for which API.
struct SignInTarget: Sendable {
    let issuer: String
    let clientID: String
    /// The API or MCP server that the tokens are for (RFC 8707); `nil` if the user named none.
    var resource: String?
    /// The scopes to ask for; `nil` for those of the command line.
    var scopes: [String]?
    /// The redirect URI of the client; `nil` for that of the command line.
    var redirectURI: String?
    /// Whether tokens are bound to a key.
    var isBound = true
    /// The redirect URI with which the command registered itself, if it got a secret then.
    var registeredRedirectURI: String?
    /// The name of the account, unless the user gives one: one for each MCP server.
    var accountName = "default"
}
