// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import StrictJSON

/// The claims of an access token that a test makes up (RFC 9068 section 2.2).
struct AccessTokenClaims {
    let subject: String
    let clientID: String
    let scope: Scope
    /// The key that the token is bound to; `nil` for a bearer token.
    let thumbprint: JWKThumbprint?

    /// All claims: those of a server, replaced by those of a test, and last those that have a property here.
    func object(of server: JSONObject = [:], changedBy claims: JSONObject) -> JSONObject {
        var object = server
        for member in claims.members { object[member.name] = member.value }
        object["sub"] = .string(subject)
        object["client_id"] = .string(clientID)
        // `scope` has at least one word, or is absent.
        object["scope"] = scope.isEmpty ? nil : .string(scope.description)
        object["cnf"] = thumbprint.map { ["jkt": .string($0.description)] }
        return object
    }
}
