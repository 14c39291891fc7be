// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import StrictJSON

/// What is stored of a sign-in besides tokens and key.
///
/// Contains no secrets.
struct AccountRecord: Sendable {
    let account: ClientAccount
    let redirectURI: String
    /// Whether http on loopback addresses was allowed at sign-in.
    let allowsInsecureLoopback: Bool
    let keyPlace: AccountKeyPlace
    /// Whether its tokens are bound to the key: not for an MCP server that takes Bearer tokens only.
    var isBound = true
    /// The API or MCP server that the tokens are for; `nil` if none was named.
    var resource: String?
    /// The address of the service that attests the key; `nil` for a client that is not attested.
    var attester: String?
    /// How the client authenticates; `nil` for one without a secret or key of its own.
    var credential: ClientCredential?
    /// The scopes that the user named at the sign-in; those that an MCP server names are found anew at the next one.
    var requestedScopes: [String] = []
    /// The scopes that a client without a user requests for each token; `nil` for the account of a user.
    var serviceScopes: [String]?
    /// Whether the client itself is signed in, without a user (RFC 6749 section 4.4).
    var isService: Bool { serviceScopes != nil }
    /// Whether a refresh token is useless without the key: that of a client with a secret or a key of its own is bound to the client
    /// instead (RFC 9449 section 5).
    var bindsRefreshToken: Bool {
        let isPublic = credential == nil && (registeredRedirectURI == nil || isRegisteredWithoutSecret)
        return isBound && isPublic
    }
    /// The origins besides those of the issuer and the resource that the user lets the token be sent to.
    var allowedOrigins: [String] = []
    /// The MCP server that the account signed in for, in its one spelling; `nil` if it was none.
    var mcpServer: String?
    /// The redirect URI with which the command registered itself; `nil` for a client that it has not registered; see
    /// ``CommandRegistration``.
    var registeredRedirectURI: String?
    /// Whether it got no secret then.
    var isRegisteredWithoutSecret = false

    init(account: ClientAccount, redirectURI: String, allowsInsecureLoopback: Bool, keyPlace: AccountKeyPlace) {
        self.account = account
        self.redirectURI = redirectURI
        self.allowsInsecureLoopback = allowsInsecureLoopback
        self.keyPlace = keyPlace
    }

    /// The record as it is stored.
    var json: JSONObject {
        var object: JSONObject = [
            "issuer": .string(account.issuer), "client_id": .string(account.clientID), "account": .string(account.name),
            "redirect_uri": .string(redirectURI), "allow_insecure_loopback": .bool(allowsInsecureLoopback),
        ]
        if !isBound { object["bound"] = false }
        object["resource"] = resource.map { .string($0) }
        object["attester"] = attester.map { .string($0) }
        for member in credential?.json.members ?? [] { object[member.name] = member.value }
        if !requestedScopes.isEmpty { object["requested_scopes"] = .strings(requestedScopes) }
        object["service_scopes"] = serviceScopes.map { .strings($0) }
        if !allowedOrigins.isEmpty { object["allowed_origins"] = .strings(allowedOrigins) }
        object["mcp_server"] = mcpServer.map { .string($0) }
        object["registered_redirect_uri"] = registeredRedirectURI.map { .string($0) }
        if isRegisteredWithoutSecret { object["registered_without_secret"] = true }
        for member in keyPlace.json.members { object[member.name] = member.value }
        return object
    }

    /// Reads what ``json`` wrote; `nil` if it is malformed.
    init?(stored object: JSONObject) {
        guard let issuer = object["issuer"]?.stringValue, let clientID = object["client_id"]?.stringValue,
            let name = object["account"]?.stringValue, let redirectURI = object["redirect_uri"]?.stringValue,
            let allowsInsecureLoopback = object["allow_insecure_loopback"]?.boolValue,
            let keyPlace = AccountKeyPlace(stored: object)
        else { return nil }
        account = ClientAccount(issuer: issuer, clientID: clientID, name: name)
        self.redirectURI = redirectURI
        self.allowsInsecureLoopback = allowsInsecureLoopback
        self.keyPlace = keyPlace
        isBound = object["bound"]?.boolValue ?? true
        resource = object["resource"]?.stringValue
        attester = object["attester"]?.stringValue
        if object[ClientCredential.methodMember] != nil {
            guard let stored = ClientCredential(stored: object) else { return nil }
            credential = stored
        }
        requestedScopes = object["requested_scopes"]?.arrayValue?.compactMap(\.stringValue) ?? []
        serviceScopes = object["service_scopes"]?.arrayValue?.compactMap(\.stringValue)
        allowedOrigins = object["allowed_origins"]?.arrayValue?.compactMap(\.stringValue) ?? []
        mcpServer = object["mcp_server"]?.stringValue
        registeredRedirectURI = object["registered_redirect_uri"]?.stringValue
        isRegisteredWithoutSecret = object["registered_without_secret"]?.boolValue ?? false
    }
}
