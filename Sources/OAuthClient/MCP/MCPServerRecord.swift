// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
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
    /// How a client that registered itself authenticates; `nil` for others, and in what older versions stored.
    var authenticationMethod: ClientAuthenticationMethod?
    /// The accounts of earlier sign-ins, at another authorization server or of another client, until nothing is left of them.
    var former: [MCPServerRecord] = []

    static func key(of server: MCPServerURL) -> String { "server " + server.text }

    var json: JSONObject {
        var object: JSONObject = [
            "issuer": .string(issuer), "client_id": .string(clientID), "client": .string(client.rawValue),
            "redirect_uri": .string(redirectURI), "resource": .string(resource), "scopes": .strings(scopes),
            "supported_scopes": .strings(supportedScopes), "bound": .bool(isBound),
        ]
        object["client_auth_method"] = authenticationMethod.map { .string($0.rawValue) }
        object["former"] = former.isEmpty ? nil : .array(former.map { .object($0.json) })
        return object
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
        let method = object["client_auth_method"]?.stringValue
        self.init(
            issuer: issuer,
            clientID: clientID,
            client: client,
            redirectURI: redirectURI,
            resource: resource,
            scopes: scopes.compactMap(\.stringValue),
            supportedScopes: supported.compactMap(\.stringValue),
            isBound: isBound,
            authenticationMethod: method.map { ClientAuthenticationMethod(rawValue: $0) }
        )
        let earlier = (object["former"]?.arrayValue ?? []).compactMap(\.objectValue)
        former = earlier.compactMap { MCPServerRecord(stored: $0)?.account }
    }
}

extension MCPServerRecord {
    /// How many earlier accounts wait until their server can be told: one that moves without end must not fill the store.
    static let maximumWaiting = 8
    /// How many are kept if not even what is stored of them can be deleted.
    private static let maximumFormer = 32

    /// The record without the scopes and the earlier accounts: enough to find and end the account.
    var account: MCPServerRecord {
        var account = self
        (account.scopes, account.supportedScopes, account.former) = ([], [], [])
        return account
    }

    /// Keeps the account of an earlier record, and those that it kept, unless they are the account of this one.
    ///
    /// All of them stay until ``MCPAuthorization/endFormerAccounts()`` has ended them: whoever is forgotten before leaves tokens, a
    /// key and a secret that nothing finds any more.
    mutating func follow(_ earlier: MCPServerRecord?) {
        guard let earlier else { return }
        for account in earlier.former + [earlier.account] where !hasAccount(of: account) {
            former.removeAll { $0.hasAccount(of: account) }
            former.append(account)
        }
        former = Array(former.suffix(Self.maximumFormer))
    }

    /// The record without earlier accounts of which nothing is left.
    func withoutFormer(_ gone: [MCPServerRecord]) -> MCPServerRecord {
        var record = self
        record.former.removeAll { account in gone.contains { $0.hasAccount(of: account) } }
        return record
    }

    /// Whether both are the same client at the same server, and so have one account.
    func hasAccount(of other: MCPServerRecord) -> Bool {
        isClient(other.clientID, at: other.issuer)
    }

    /// Whether the client is the one with an identifier at a server.
    func isClient(_ other: String, at server: String) -> Bool {
        issuer.isIdentical(to: server) && clientID.isIdentical(to: other)
    }
}
