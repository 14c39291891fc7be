// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import StrictJSON

/// Explains the registered members of a JWT in words.
enum JWTFacts {
    static func rows(header: JSONObject, payload: JSONObject, at now: Timestamp) -> [(String, String)] {
        var rows: [(String, String)] = []
        if let type = header["typ"]?.stringValue, let meaning = types[type.lowercased()] {
            rows.append(("typ", meaning))
        }
        if let jwk = header["jwk"]?.objectValue {
            let thumbprint = (try? JWK(parsing: jwk))?.thumbprint.description
            rows.append(("jwk", thumbprint.map { "the key with the thumbprint \($0)" } ?? "not a usable public key"))
        }
        for (name, meaning) in times {
            guard let value = payload[name] else { continue }
            let time = value.integerValue.map { Timestamp(secondsSince1970: $0) }
            rows.append(
                (name, meaning + " " + (time.map { TimeText.words($0, at: now) } ?? "at a time that is not a number"))
            )
        }
        if let thumbprint = payload["cnf"]?.objectValue?["jkt"]?.stringValue {
            rows.append(("cnf", "bound to the key with the thumbprint \(thumbprint) (RFC 9449 section 6.1)"))
        }
        if let scope = payload["scope"]?.stringValue { rows.append(("scope", scope)) }
        return rows
    }

    private static let times = [
        ("iat", "issued"), ("auth_time", "signed in"), ("nbf", "valid from"), ("exp", "expires"),
    ]

    private static let types = [
        "at+jwt": "an access token (RFC 9068)",
        "application/at+jwt": "an access token (RFC 9068)",
        "dpop+jwt": "a DPoP proof (RFC 9449 section 4.2)",
        "logout+jwt": "a logout token (OpenID Connect Back-Channel Logout)",
    ]
}
