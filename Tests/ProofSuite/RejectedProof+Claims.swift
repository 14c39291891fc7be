// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import StrictJSON
import TestSupport

/// Invalid claims.
extension RejectedProof {
    package static let jti: [RejectedProof] = [
        claim("jti", nil, .requiredClaims), claim("jti", "", .requiredClaims), claim("jti", 1, .requiredClaims),
        claim("jti", .null, .requiredClaims), claim("jti", ["a"], .requiredClaims),
        claim("jti", .string(String(repeating: "a", count: 257)), .requiredClaims),
        claim("jti", .string(String(repeating: "é", count: 129)), .requiredClaims),
        claim("jti", .string(String(repeating: "a", count: 10_000)), .wellFormed),
    ]

    package static let htm: [RejectedProof] = [
        claim("htm", nil, .requiredClaims), claim("htm", 1, .requiredClaims), claim("htm", ["GET"], .requiredClaims),
        claim("htm", .null, .requiredClaims), claim("htm", "POST", .method), claim("htm", "get", .method),
        claim("htm", "Get", .method), claim("htm", "GET ", .method), claim("htm", "GET,POST", .method),
        claim("htm", "", .method), claim("htm", "*", .method), claim("htm", "GE\u{301}T", .method),
    ]

    package static let htu: [RejectedProof] =
        [
            claim("htu", nil, .requiredClaims), claim("htu", 1, .requiredClaims),
            claim("htu", ["https://api.example.com/me"], .requiredClaims), claim("htu", .null, .requiredClaims),
        ]
        + [
            "https://api.example.com/", "https://api.example.com", "https://api.example.com/me/you",
            "https://api.example.com/m",
            "https://api.example.com:8443/me", "https://api.example.com:80/me", "http://api.example.com/me",
            "http://api.example.com:443/me", "https://user@api.example.com/me", "https://@api.example.com/me",
            "https://api.example.com@attacker.example/me", "/me", "me", "//api.example.com/me", "api.example.com/me",
            "",
            "https:/api.example.com/me", "https:api.example.com/me", "ftp://api.example.com/me",
            "https://api.example.com./me",
            "https://api.example.com\\me", "https://api.example.com/me ", " https://api.example.com/me", "https:///me",
            "https://api.example.com//me", "https://*/me", "https://api.example.com/*", "https://api.example.com/me\0",
            "https://api.example.com/%6de%", "https://api.example.com/mé", "urn:api.example.com:me",
            "https://api.example.com:/me?\n",
        ].map { claim("htu", .string($0), .targetURI) }

    package static let htuPath: [RejectedProof] = [
        "https://api.example.com/me/", "https://api.example.com/ME", "https://api.example.com/Me",
        "https://api.example.com/%2Fme", "https://api.example.com/me%2F", "https://api.example.com%2Fme",
        "https://api.example.com/me%2e", "https://api.example.com/%256De", "https://api.example.com/a/../me/..",
        "https://api.example.com/me;a=b", "https://api.example.com/me%3F", "https://api.example.com/me%23",
    ].map { claim("htu", .string($0), .targetURI) }

    package static let htuOfAnotherHost: [RejectedProof] = [
        "https://attacker.example/me", "https://api.example.com.attacker.example/me", "https://example.com/me",
        "https://api.example.com%2eattacker.example/me", "https://api.examp\u{212A}e.com/me", "https://127.0.0.1/me",
    ].map { claim("htu", .string($0), .targetURI) }

    package static let iat: [RejectedProof] = [
        claim("iat", nil, .requiredClaims), claim("iat", "1790000000", .requiredClaims),
        claim("iat", .null, .requiredClaims),
        claim("iat", true, .requiredClaims), claim("iat", [1_790_000_000], .requiredClaims),
        claim("iat", .number(JSONNumber(Int64.max)), .requiredClaims), claim("iat", -1, .freshness),
        claim("iat", 0, .freshness),
        claim("iat", -9_007_199_254_740_992, .freshness), claim("iat", 9_007_199_254_740_992, .freshness),
        claim("iat", 1_790_000_000_000, .freshness),
        payload(#""iat":1e400"#, without: "iat", step: .wellFormed),
        payload(#""iat":1e300"#, without: "iat", step: .requiredClaims),
        payload(#""iat":NaN"#, without: "iat", step: .wellFormed),
    ]

    package static let iatOutsideTheWindow: [RejectedProof] = [-100_000, -600, -301, 31, 61, 600, 100_000].map {
        seconds in
        claim("iat", .number(JSONNumber(Scenario.now.secondsSince1970 + seconds)), .freshness)
    }

    /// With nonces on clock skew, the response to a wrong clock is a nonce.
    package static let iatThatANonceMends: [RejectedProof] = [-301, 31].map { seconds in
        RejectedProof("iat is \(seconds) seconds from now, with nonces on skew", .freshness, .nonceRequired) {
            $1.policy.nonces = .onSkew
            $0.claims["iat"] = .number(JSONNumber(Scenario.now.secondsSince1970 + Int64(seconds)))
            return [try await $0.signed()]
        }
    }

    package static let validityPeriod: [RejectedProof] = [
        claim("exp", 1_789_999_970, .validityPeriod), claim("exp", 0, .validityPeriod),
        claim("nbf", 1_790_000_031, .validityPeriod),
        claim("nbf", 9_007_199_254_740_992, .validityPeriod), claim("exp", "1790000100", .requiredClaims),
        claim("nbf", .null, .requiredClaims),
    ]

    package static let ath: [RejectedProof] = [
        claim("ath", nil, .accessTokenHash), claim("ath", "", .accessTokenHash), claim("ath", 1, .requiredClaims),
        claim("ath", .null, .requiredClaims),
        // The token itself, the hash of another one, in hexadecimal, with padding, with other tail bits, in another case.
        claim("ath", .string(Scenario.accessToken), .accessTokenHash),
        claim("ath", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", .accessTokenHash),
        claim("ath", "7d41f23b6af66770d9e7712c36b5816f4c565e868dcb9f488a0802aa4b26404a", .accessTokenHash),
        claim("ath", .string(Scenario.accessTokenHash + "="), .accessTokenHash),
        claim("ath", "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEp", .accessTokenHash),
        claim("ath", .string(Scenario.accessTokenHash.uppercased()), .accessTokenHash),
    ]

    package static let keyBinding: [RejectedProof] = [
        RejectedProof("a proof of another key", .keyBinding, .keyMismatch) { proof, _ in
            proof.signer = try TestKey.p256(2)
            proof.header["jwk"] = .object(proof.signer.publicKey.json)
            return [try await proof.signed()]
        },
        RejectedProof("the own key in the header, the bound one signs", .keyBinding, .keyMismatch) { proof, _ in
            proof.header["jwk"] = .object(try TestKey.p256(2).publicKey.json)
            return [try await proof.signed()]
        },
    ]

    package static let nonces: [RejectedProof] = [
        nonce("none", nil), nonce("empty", ""), nonce("made up", "eyJ7S_zG.eyJH0-Z.HX4w-7v"),
        nonce("5 KB", .string(String(repeating: "A", count: 5000))),
        nonce("of 300 seconds and a minute before") { $0.nonces.nonce(at: $0.now - .seconds(361)) },
        nonce("from two minutes ahead") { $0.nonces.nonce(at: $0.now + .seconds(120)) },
        nonce("of the authorization server") {
            DPoPNonceIssuer(role: .authorizationServer, secrets: [Scenario.secret]).nonce(at: $0.now)
        },
        nonce("of another secret under the same number") {
            let other = DPoPNonceSecret(number: Scenario.secret.number, bytes: [UInt8](repeating: 8, count: 32))
            return DPoPNonceIssuer(role: .resourceServer, secrets: [other]).nonce(at: $0.now)
        },
        nonce("of another secret under another number") {
            let other = DPoPNonceSecret(number: 2, bytes: Scenario.secret.bytes)
            return DPoPNonceIssuer(role: .resourceServer, secrets: [other]).nonce(at: $0.now)
        },
        nonce("with a trailing space") { $0.nonces.nonce(at: $0.now) + " " },
    ]

    /// A nonce that is not a string, or that makes the proof too long.
    package static let malformedNonces: [RejectedProof] = [
        claim("nonce", 1, .requiredClaims), claim("nonce", .null, .requiredClaims),
        claim("nonce", ["a"], .requiredClaims),
        claim("nonce", .string(String(repeating: "A", count: 10_000)), .wellFormed),
    ]

    private static func nonce(_ name: String, _ value: JSONValue?) -> RejectedProof {
        RejectedProof("nonce: \(name)", .nonce, .nonceRequired) { proof, scenario in
            scenario.policy.nonces = .required
            proof.claims["nonce"] = value
            return [try await proof.signed()]
        }
    }

    private static func nonce(_ name: String, _ make: @escaping @Sendable (Scenario) -> String) -> RejectedProof {
        RejectedProof("nonce: \(name)", .nonce, .nonceRequired) { proof, scenario in
            scenario.policy.nonces = .required
            proof.claims["nonce"] = .string(make(scenario))
            return [try await proof.signed()]
        }
    }
}
