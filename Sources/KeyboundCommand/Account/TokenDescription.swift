// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON

/// Describes tokens without showing them.
struct TokenDescription {
    private let record: AccountRecord
    private let tokens: TokenSet
    private let now: Timestamp

    init(_ record: AccountRecord, _ tokens: TokenSet, at now: Timestamp) {
        self.record = record
        self.tokens = tokens
        self.now = now
    }

    /// For a script.
    var json: JSONObject {
        var object: JSONObject = [
            "issuer": .string(record.account.issuer), "client_id": .string(record.account.clientID),
            "account": .string(record.account.name), "token_type": .string(tokens.tokenType.rawValue),
            "scope": .string(tokens.scope.description), "expired": .bool(tokens.isExpired(at: now)),
            "has_refresh_token": .bool(tokens.refreshToken != nil),
            "key_protection": .string(keyProtection),
        ]
        object["jkt"] = tokens.keyThumbprint.map { .string($0.description) }
        if record.isService { object["client_credentials"] = true }
        object["sub"] = (tokens.idToken?.subject).map { .string($0) }
        object["expires_at"] = tokens.expiresAt.map { .number(JSONNumber($0.secondsSince1970)) }
        return object
    }

    /// As text.
    var rows: [(String, String)] {
        let expiry = tokens.expiresAt.map { time in
            (tokens.isExpired(at: now) ? "expired " : "expires ") + TimeText.words(time, at: now)
        }
        let user: [(String, String)] =
            record.isService
            ? [("user", "none (the client itself is signed in)")]
            : (tokens.idToken?.subject).map { [("user", $0)] } ?? []
        return [
            ("issuer", record.account.issuer), ("client_id", record.account.clientID), ("account", record.account.name),
        ] + user + [
            ("scope", tokens.scope.isEmpty ? "none" : tokens.scope.description),
            ("access token", "\(tokens.tokenType), \(expiry ?? "without an expiry time from the server")"),
            ("refresh token", refreshToken),
            ("key", tokens.keyThumbprint.map { "\($0), \(keyProtection)" } ?? "none"),
        ]
    }

    /// RFC 6749 section 4.4.3: a service has none, and needs none.
    private var refreshToken: String {
        if record.isService { return "none (the client requests new tokens with its secret or key)" }
        return tokens.refreshToken == nil ? "none" : "present"
    }

    private var keyProtection: String { record.keyPlace.description }
}
