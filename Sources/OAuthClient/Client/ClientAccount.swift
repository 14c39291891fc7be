// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import StrictJSON

/// Identifies the owner of tokens and a key: one account, at one server, of one client.
///
/// Each account has its own key: a shared key would let servers recognise the same user by its thumbprint.
public struct ClientAccount: Sendable, Hashable, Codable {
    /// The issuer identifier of the authorization server.
    public let issuer: String
    /// The client identifier.
    public let clientID: String
    /// The name that the app gives the account.
    public let name: String

    /// Names an account.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the authorization server.
    ///   - clientID: The client identifier.
    ///   - name: The name that the app gives the account.
    public init(issuer: String, clientID: String, name: String = "default") {
        self.issuer = issuer
        self.clientID = clientID
        self.name = name
    }

    /// Stands for all accounts of a client at a server; no account has an empty name.
    static func ofAll(issuer: String, clientID: String) -> ClientAccount {
        ClientAccount(issuer: issuer, clientID: clientID, name: "")
    }

    /// 43 characters of base64url, different for each account: for the names of keys, files and database rows.
    public var identifier: String {
        Base64URL.encode(SHA256.hash(JSONValue.strings([issuer, clientID, name]).encoded()).bytes)
    }
}
