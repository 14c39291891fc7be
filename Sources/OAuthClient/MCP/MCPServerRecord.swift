// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// What an app knows of an MCP server: the authorization server in use, the client there, and what was asked for.
package struct MCPServerRecord: Sendable, Hashable {
    /// How the app is known at the authorization server.
    package enum Client: String, Sendable {
        case registeredByHand = "registered"
        case document
        case registeredItself = "itself"
    }

    package var issuer: String
    package var clientID: String
    package var client: Client
    package var redirectURI: String
    /// `resource` of its metadata, as sent in every request (RFC 8707).
    package var resource: String
    /// The scopes that were asked for so far.
    package var scopes: [String]
    /// All scopes of the server; empty if it does not say.
    package var supportedScopes: [String]
    /// Whether its tokens are bound to a key.
    package var isBound: Bool

    static func key(of server: MCPServerURL) -> String { "server " + server.text }

    var json: JSONObject {
        [
            "issuer": .string(issuer), "client_id": .string(clientID), "client": .string(client.rawValue),
            "redirect_uri": .string(redirectURI), "resource": .string(resource), "scopes": .strings(scopes),
            "supported_scopes": .strings(supportedScopes), "bound": .bool(isBound),
        ]
    }
}

extension MCPServerRecord {
    /// Reads what ``json`` wrote; `nil` if it is malformed, which leads to a new sign-in.
    init?(stored object: JSONObject) {
        guard let issuer = object["issuer"]?.stringValue, let clientID = object["client_id"]?.stringValue,
            let client = object["client"]?.stringValue.flatMap(Client.init(rawValue:)),
            let redirectURI = object["redirect_uri"]?.stringValue, let resource = object["resource"]?.stringValue,
            let scopes = object["scopes"]?.arrayValue, let supported = object["supported_scopes"]?.arrayValue,
            let isBound = object["bound"]?.boolValue
        else { return nil }
        self.init(
            issuer: issuer,
            clientID: clientID,
            client: client,
            redirectURI: redirectURI,
            resource: resource,
            scopes: scopes.compactMap(\.stringValue),
            supportedScopes: supported.compactMap(\.stringValue),
            isBound: isBound
        )
    }
}
