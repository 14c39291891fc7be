// SPDX-License-Identifier: Apache-2.0

/// Where `keybound login` signs in, as which client, and for which API.
struct SignInTarget: Sendable {
    /// The name of an account, unless the user gives another one or it is for an MCP server.
    static let usualName = "default"
    /// The redirect URI, unless the user gives another one.
    static let usualRedirect = "http://127.0.0.1/callback"

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
    /// The MCP server, in its one spelling; `nil` if it is none.
    var mcpServer: String?
    /// The redirect URI with which the command registered itself; `nil` for a client that it has not registered.
    var registeredRedirectURI: String?
    /// Whether it got no secret then.
    var isRegisteredWithoutSecret = false
    /// Whether it registered just now, so that the server knows the client for certain.
    var isNewClient = false
    /// The name of the account, unless the user gives one: one for each MCP server.
    var accountName: String { mcpServer ?? Self.usualName }
}
