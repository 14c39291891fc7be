// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// The rules for claims about users that an operator or a login provider sets.
enum UserClaims {
    /// The most that is stored for a user, in bytes of JSON: claims become part of access tokens, which are sent in
    /// header fields, and APIs reject one of more than 8192 characters.
    ///
    /// That is about 6000 bytes of JSON, shared with authorization details, the scope and the key.
    static let maximumSize = 2048

    /// The rule of ``isName(_:)``, for messages.
    static let formOfNames = "the name of a claim has 1 to 64 characters: letters and digits of ASCII, and _ - . : / #"

    /// Whether a text is the name of a claim: 1 to 64 letters, digits, and marks that occur in names and URIs.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", ":", "/", "#": true
                default: false
                }
            }
    }

    /// What is wrong with the name of a claim; `nil` for a name that users may have a claim of.
    static func problem(ofName name: String) -> String? {
        guard isName(name) else { return formOfNames }
        return reserved.contains(name) ? "the server sets the claim '\(name)' itself: choose another name" : nil
    }

    /// What is wrong with the claims of a user, whose names are right; `nil` if nothing is.
    static func problem(of claims: JSONObject) -> String? {
        if let wrong = claims.members.first(where: { !isValue($0.value) }) {
            return "the claim '\(wrong.name)' is not a string, a number, true, false, an array of these, or an "
                + "object of all these"
        }
        guard JSONValue.object(claims).encoded().count <= maximumSize else {
            return "the claims of a user have at most \(maximumSize) bytes as JSON"
        }
        return nil
    }

    private static func isValue(_ value: JSONValue) -> Bool {
        guard case .object(let object) = value else { return isSimple(value) }
        return object.members.allSatisfy { isSimple($0.value) }
    }

    private static func isSimple(_ value: JSONValue) -> Bool {
        guard case .array(let elements) = value else { return isSingle(value) }
        return elements.allSatisfy(isSingle)
    }

    private static func isSingle(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .number, .bool: true
        case .null, .array, .object: false
        }
    }

    /// What the server itself says in id_tokens, access tokens, userinfo or responses of introspection, or what would
    /// change the meaning of these.
    private static let reserved: Set = [
        // RFC 7519 section 4.1, RFC 7800 section 3.
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "cnf",
        // OpenID Connect Core sections 2, 3.1.3.6, 3.3.2.11, 5.1, 5.6.2 and 7.4, Front-Channel Logout section 3.
        "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "c_hash", "s_hash", "sid", "sub_jwk",
        "preferred_username", "_claim_names", "_claim_sources",
        // RFC 9068 section 2.2, RFC 8693 section 4, RFC 9396 section 9.1, and the grant of a token.
        "client_id", "scope", "act", "may_act", "authorization_details", TokenIssuer.grantClaim,
        // RFC 7662 section 2.2; RFC 8417 section 2.2 and RFC 9493, by which security events are told apart.
        "active", "username", "token_type", "events", "toe", "sub_id",
        // Where APIs of other servers look for the type, the client and the scope of a token.
        "typ", "cid", "scp",
    ]
}
