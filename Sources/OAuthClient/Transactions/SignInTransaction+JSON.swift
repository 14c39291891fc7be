// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem
import PKCE
public import StrictJSON

/// Each property needs a line in both functions; a test fails if one is missing.
extension SignInTransaction {
    /// The version of the format; a sign-in lasts minutes, so that no other version is read.
    private static let version: Int64 = 1

    /// The transaction as JSON, with the verifier in clear: for a store that encrypts or protects it.
    public var json: JSONObject {
        var object: JSONObject = [
            "state": .string(state), "code_verifier": .string(codeVerifier.text),
            "issuer": .string(account.issuer), "client_id": .string(account.clientID), "account": .string(account.name),
            "scope": .string(scope.description),
            "expects_issuer": .bool(expectsIssuer),
            "response_mode": .string(responseMode.rawValue),
            "expires_at_ms": .number(JSONNumber(expiresAt.millisecondsSince1970)),
            "v": .number(JSONNumber(Self.version)),
        ]
        object["redirect_uri"] = redirectURI.map { .string($0) }
        object["jkt"] = keyThumbprint.map { .string($0.description) }
        if !resources.isEmpty { object["resources"] = .strings(resources) }
        if !authorizationDetails.isEmpty {
            object["authorization_details"] = .array(authorizationDetails.map { .object($0.json) })
        }
        object["nonce"] = nonce.map { .string($0) }
        object["max_age_s"] = maxAge.map { .number(JSONNumber($0.components.seconds)) }
        object["started_at_ms"] = startedAt.map { .number(JSONNumber($0.millisecondsSince1970)) }
        object["required_acr_values"] = requiredACRValues.map { .strings($0) }
        object["required_sub"] = requiredSubject.map { .string($0) }
        return object
    }

    /// Reads JSON that ``json`` wrote.
    ///
    /// - Parameter object: The transaction as JSON.
    /// - Throws: ``OAuthClientError/Code/storageFailed`` for any other JSON, also of another version of the program.
    public init(parsing object: JSONObject) throws(OAuthClientError) {
        // The first versions wrote no number, and the same members.
        let isOfThisVersion = object["v"]?.integerValue == Self.version
        do {
            guard isOfThisVersion || object["v"] == nil else { throw Missing() }
            self.init(
                state: try Self.text("state", in: object),
                codeVerifier: try CodeVerifier(Self.text("code_verifier", in: object)),
                account: ClientAccount(
                    issuer: try Self.text("issuer", in: object),
                    clientID: try Self.text("client_id", in: object),
                    name: try Self.text("account", in: object)
                ),
                redirectURI: try object["redirect_uri"].map { try Self.value($0.stringValue) },
                scope: try Scope(parsing: Self.text("scope", in: object)),
                keyThumbprint: try object["jkt"].map { try JWKThumbprint(Self.value($0.stringValue)) },
                expectsIssuer: try Self.value(object["expects_issuer"]?.boolValue),
                expiresAt: Timestamp(millisecondsSince1970: try Self.value(object["expires_at_ms"]?.integerValue)),
                resources: try Self.texts("resources", in: object),
                authorizationDetails: try object["authorization_details"].map(AuthorizationDetail.list) ?? [],
                responseMode: try ResponseMode(rawValue: Self.text("response_mode", in: object)),
                nonce: try object["nonce"].map { try Self.value($0.stringValue) },
                maxAge: try object["max_age_s"].map { .seconds(try Self.value($0.integerValue)) },
                startedAt: try object["started_at_ms"].map {
                    Timestamp(millisecondsSince1970: try Self.value($0.integerValue))
                },
                requiredACRValues: try object["required_acr_values"].map { _ in
                    try Self.texts("required_acr_values", in: object)
                },
                requiredSubject: try object["required_sub"].map { try Self.value($0.stringValue) }
            )
        } catch {
            // Never report the value itself: it may be the verifier.
            throw OAuthClientError(
                .storageFailed,
                isOfThisVersion
                    ? "what was stored is not a sign-in; sign in again"
                    : "the sign-in was begun by another version of this program; sign in again"
            )
        }
    }

    private struct Missing: Error {}

    private static func value<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Missing() }
        return value
    }

    private static func text(_ name: String, in object: JSONObject) throws -> String {
        try value(object[name]?.stringValue)
    }

    /// Reads a list of strings.
    ///
    /// An absent member is an empty list; any other value is an error.
    private static func texts(_ name: String, in object: JSONObject) throws -> [String] {
        try object[name].map { try value($0.arrayValue).map { try value($0.stringValue) } } ?? []
    }
}
