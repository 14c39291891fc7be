// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON

/// What a profile demands of a token, and under which names it holds client and scope.
extension AccessTokenProfile {
    /// Claims of an id_token (OpenID Connect Core sections 2, 3.1.3.6 and 3.3.2.11, FAPI 1.0 Part 2 section 5.1.1) and of
    /// a logout token or another security event token (RFC 8417 section 2.2).
    private static let claimsOfOtherKinds: Set<String> = ["nonce", "at_hash", "c_hash", "s_hash", "events"]
    /// Values of the claim `typ` in access tokens of Keycloak, which tells its tokens apart by it: `ID`, `Refresh`,
    /// `Offline`, `Logout` and whatever comes later are no access tokens.
    private static let claimedTypes: Set<String> = ["Bearer", "DPoP"]
    /// The names for the client: RFC 9068 section 2.2, OpenID Connect Core section 2, and Okta's.
    private static let namesOfTheClient = ["client_id", "azp", "cid"]

    /// The rules for the header, for parties and times, and for which claims there are.
    func validation(
        issuer: String,
        audience: String,
        algorithms: Set<SignatureAlgorithm>,
        leeway: Duration
    ) -> JWTValidation {
        var validation = JWTValidation.accessToken(
            issuer: issuer,
            audience: audience,
            algorithms: algorithms,
            leeway: leeway
        )
        guard self == .jwtWithoutExplicitType else { return validation }
        // RFC 7519 section 5.1. Every other kind with explicit typing stays out (RFC 8725 section 3.11).
        validation.types.insert("JWT")
        validation.requiresType = false
        validation.requiredStrings = ["sub"]
        validation.requiredTimes = []
        // RFC 8725 section 3.12: what marks another kind of token must be missing.
        validation.forbiddenClaims = Self.claimsOfOtherKinds
        return validation
    }

    /// The claims of a token that passed ``validation(issuer:audience:algorithms:leeway:)``, with client and scope under the names of RFC 9068.
    ///
    /// These claims pass it again, so that they can be remembered in place of the token's own.
    ///
    /// - Returns: The claims; `nil` if they are those of another kind of token, or name no client or different ones.
    func standardClaims(of claims: JWTClaims) -> JWTClaims? {
        guard self == .jwtWithoutExplicitType else { return claims }
        var object = claims.object
        if let type = object["typ"] {
            guard let text = type.stringValue, Self.claimedTypes.contains(text) else { return nil }
        }
        guard let client = Self.client(in: object) else { return nil }
        if object["client_id"] == nil { object["client_id"] = .string(client) }
        if object["scope"] == nil, let scope = Self.scope(object["scp"]) {
            object["scope"] = .string(scope.description)
        }
        return try? JWTClaims(object)
    }

    private static func client(in object: JSONObject) -> String? {
        let values = namesOfTheClient.compactMap { object[$0] }
        guard let client = values.first?.stringValue, !client.isEmpty,
            values.allSatisfy({ $0.stringValue?.isIdentical(to: client) ?? false })
        else { return nil }
        return client
    }

    /// A malformed scope is no scope, as everywhere in the guard.
    private static func scope(_ value: JSONValue?) -> Scope? {
        if let text = value?.stringValue { return try? Scope(parsing: text) }
        guard let elements = value?.arrayValue else { return nil }
        let tokens = elements.compactMap(\.stringValue)
        guard tokens.count == elements.count else { return nil }
        return try? Scope(tokens)
    }
}
