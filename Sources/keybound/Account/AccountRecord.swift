// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthClient

/// What is remembered of a sign-in besides tokens and key; nothing of it is secret.
struct AccountRecord: Sendable {
    /// What opens the key.
    enum KeySecret: Sendable, Hashable {
        /// A person types it.
        case passphrase
        /// A file with 32 bytes, by its absolute path; `nil` when it came through a file descriptor.
        case credential(file: String?)
        /// Nothing: the key is in clear.
        case none
    }

    let account: ClientAccount
    let redirectURI: String
    /// Whether http on loopback addresses was allowed when signing in.
    let allowsInsecureLoopback: Bool
    let keySecret: KeySecret

    init(account: ClientAccount, redirectURI: String, allowsInsecureLoopback: Bool, keySecret: KeySecret) {
        self.account = account
        self.redirectURI = redirectURI
        self.allowsInsecureLoopback = allowsInsecureLoopback
        self.keySecret = keySecret
    }

    /// The record as it is stored.
    var json: JSONObject {
        var object: JSONObject = [
            "issuer": .string(account.issuer), "client_id": .string(account.clientID), "account": .string(account.name),
            "redirect_uri": .string(redirectURI), "allow_insecure_loopback": .bool(allowsInsecureLoopback),
        ]
        switch keySecret {
        case .passphrase: object["key_secret"] = "passphrase"
        case .credential(let file):
            object["key_secret"] = "credential"
            object["key_credential_file"] = file.map { .string($0) }
        case .none: object["key_secret"] = "none"
        }
        return object
    }

    /// Reads what ``json`` wrote; `nil` when it is something else.
    init?(stored object: JSONObject) {
        guard let issuer = object["issuer"]?.stringValue, let clientID = object["client_id"]?.stringValue,
            let name = object["account"]?.stringValue, let redirectURI = object["redirect_uri"]?.stringValue,
            let allowsInsecureLoopback = object["allow_insecure_loopback"]?.boolValue
        else { return nil }
        switch object["key_secret"]?.stringValue {
        case "passphrase": keySecret = .passphrase
        case "credential": keySecret = .credential(file: object["key_credential_file"]?.stringValue)
        case "none": keySecret = .none
        default: return nil
        }
        account = ClientAccount(issuer: issuer, clientID: clientID, name: name)
        self.redirectURI = redirectURI
        self.allowsInsecureLoopback = allowsInsecureLoopback
    }
}
