// SPDX-License-Identifier: Apache-2.0

/// What you change to use this example: your server, your team, your identifiers.
public struct AppSettings: Sendable {
    /// The issuer identifier of the authorization server.
    public var issuer = "https://auth.example.com"
    /// The client identifier that the app is registered with.
    public var clientID = "com.example.keybound-app"
    /// The redirect URI that it is registered with: a scheme of your own, from a domain that is yours.
    public var redirectURI = "com.example.keybound-app:/callback"
    /// What to ask the person for.
    public var scopes = ["api:read"]
    /// The API to call.
    public var api = "https://api.example.com/me"
    /// The access group of the Keychain, with the prefix of your team, as in both files of entitlements.
    public var accessGroup = "ABCDE12345.com.example.keybound-app.shared"
    /// The app group, in whose container the locks are.
    public var appGroup = "group.com.example.keybound-app"

    /// The settings above.
    public init() {}
}
