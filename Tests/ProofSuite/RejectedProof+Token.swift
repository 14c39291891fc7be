// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthCrypto
import StrictJSON
import TestSupport

/// Errors that are detected before any claim is read.
extension RejectedProof {
    package static let fields: [RejectedProof] = [
        RejectedProof("no field", .singleField, .missingProof) { _, _ in [] },
        sent("the same proof twice", .singleField) { [$0, $0] },
        sent("a proof and rubbish", .singleField) { [$0, "x"] },
        sent("a proof and an empty field", .singleField) { [$0, ""] },
        sent("two proofs joined with a comma", .singleField) { ["\($0),\($0)"] },
        sent("two proofs joined with a comma and a space", .singleField) { ["\($0), \($0)"] },
        sent("a trailing comma", .singleField) { ["\($0),"] },
    ]

    package static let notATokenOfThreeSegments: [RejectedProof] = [
        sent("an empty field", .wellFormed) { _ in [""] },
        sent("rubbish", .wellFormed) { _ in ["not a token"] },
        sent("two segments", .wellFormed) { [$0.split(separator: ".").prefix(2).joined(separator: ".")] },
        sent("an encrypted token of five segments", .wellFormed) { ["\($0).AAAA.AAAA"] },
        sent("four segments", .wellFormed) { ["\($0)."] },
        sent("a leading space", .wellFormed) { [" \($0)"] },
        sent("a trailing line feed", .wellFormed) { ["\($0)\n"] },
        sent("a leading scheme", .wellFormed) { ["DPoP \($0)"] },
        sent("two proofs joined with a semicolon", .wellFormed) { ["\($0);\($0)"] },
        sent("10 KB", .wellFormed) { _ in [String(repeating: "A", count: 10_000)] },
        sent("10 KB of dots", .wellFormed) { _ in [String(repeating: ".", count: 10_000)] },
        sent("padding of base64", .wellFormed) { ["\($0)=="] },
        RejectedProof("other tail bits of the signature", .wellFormed) { proof, _ in
            // 64 bytes end in a character of which four bits are unused: A, Q, g or w.
            let text = try await proof.signed()
            let twin = ["A": "B", "Q": "R", "g": "h", "w": "x"][text.suffix(1)] ?? ""
            return [text.dropLast() + twin]
        },
    ]

    package static let notJSON: [RejectedProof] = [
        bytes(header: "", .wellFormed), bytes(header: "[]", .wellFormed), bytes(header: "null", .wellFormed),
        bytes(header: "{", .wellFormed), bytes(payload: "", .wellFormed), bytes(payload: "[]", .wellFormed),
        bytes(payload: "null", .wellFormed), bytes(payload: "text", .wellFormed), bytes(payload: "{}x", .wellFormed),
        bytes(payload: "\u{feff}{}", .wellFormed),
        bytes(payload: String(repeating: #"{"a":"#, count: 40) + "1" + String(repeating: "}", count: 40), .wellFormed),
    ]

    package static let duplicateMembers: [RejectedProof] = [
        header(members: #""typ":"JWT""#, step: .wellFormed), header(members: #""typ":"dpop+jwt""#, step: .wellFormed),
        header(members: #""\u0061lg":"none""#, step: .wellFormed),
        header(members: #""alg":"ES256""#, step: .wellFormed),
        RejectedProof("kty of jwk twice", .wellFormed) { proof, _ in
            var (header, key) = (proof.header, (proof.header["jwk"] ?? .null).encoded())
            header["jwk"] = nil
            key = Array(#"{"kty":"EC","#.utf8) + key.dropFirst()
            let rest = JSONValue.object(header).encoded().dropFirst()
            return [
                try await RawJWS.sign(
                    header: Array(#"{"jwk":"#.utf8) + key + Array(",".utf8) + rest,
                    payload: JSONValue.object(proof.claims).encoded(),
                    with: proof.signer
                )
            ]
        },
        repeated("htm"), repeated("htm", first: #""PATCH""#), repeated("htu"), repeated("jti"), repeated("iat"),
        repeated("iat", as: #"i\u0061t"#, first: "1"), repeated("iat", as: #"i\u0061t"#),
    ]

    package static let critical: [RejectedProof] = [
        header("crit", ["exp"], .wellFormed), header("crit", [], .wellFormed), header("crit", .null, .wellFormed),
        header("b64", false, .wellFormed), header("b64", true, .wellFormed),
    ]

    package static let types: [RejectedProof] = [
        header("typ", nil, .type), header("typ", "JWT", .type), header("typ", "jwt", .type), header("typ", "", .type),
        header("typ", "xdpop+jwtx", .type), header("typ", "dpop+jwtx", .type), header("typ", "xdpop+jwt", .type),
        header("typ", "dpop jwt", .type), header("typ", "dpop+jwt ", .type), header("typ", "dpop", .type),
        header("typ", 1, .type), header("typ", .null, .type), header("typ", true, .type),
        header("typ", ["dpop+jwt"], .type),
        header("typ", ["dpop+jwt": 1], .type), header("typ", "text/dpop+jwt", .type),
        header("typ", "dpop+jwt;v=1", .type),
        header("typ", "application/", .type), header("typ", "dpop%2Bjwt", .type),
    ]

    package static let otherKindsOfToken: [RejectedProof] = [
        header("typ", "at+jwt", .type), header("typ", "client-authentication+jwt", .type), header("typ", "JWT", .type),
        header("typ", "oauth-authz-req+jwt", .type), header("typ", "logout+jwt", .type),
    ]

    package static let algorithms: [RejectedProof] = [
        header("alg", nil, .algorithm), header("alg", .null, .algorithm), header("alg", 1, .algorithm),
        header("alg", ["ES256"], .algorithm), header("alg", "", .algorithm), header("alg", "none", .algorithm),
        header("alg", "None", .algorithm), header("alg", "NONE", .algorithm), header("alg", "nOnE", .algorithm),
        header("alg", "es256", .algorithm), header("alg", "ES256 ", .algorithm), header("alg", "ES256K", .algorithm),
        header("alg", "HS256", .algorithm),
        RejectedProof("none, and no signature", .algorithm) { proof, _ in
            proof.header["alg"] = "none"
            return [try await proof.signed().split(separator: ".").prefix(2).joined(separator: ".") + "."]
        },
        RejectedProof("HS256, keyed with the bytes of the jwk", .algorithm) { proof, _ in
            proof.header["alg"] = "HS256"
            let input = try await proof.signed().split(separator: ".").prefix(2).joined(separator: ".")
            let key = HMACSHA256Key(proof.header["jwk"]?.encoded() ?? [])
            return ["\(input).\(Base64URL.encode(key.authenticationCode(for: Array(input.utf8)).bytes))"]
        },
    ]

    package static let algorithmsNotAllowed: [RejectedProof] =
        ["RS256", "PS256", "ES384", "ES512"].map { header("alg", .string($0), .algorithm) }
        + ["EdDSA", "Ed25519"].map { header("alg", .string($0), .publicKey) } + [
            RejectedProof("ES256 where only ES384 is allowed", .algorithm) { proof, scenario in
                scenario.policy.algorithms = [.es384]
                return [try await proof.signed()]
            },
            RejectedProof("HS256 although the policy allows it", .publicKey) { proof, scenario in
                scenario.policy.algorithms = [.es256, SignatureAlgorithm(rawValue: "HS256")]
                proof.header["alg"] = "HS256"
                return [try await proof.signed()]
            },
            RejectedProof("none although the policy allows it", .publicKey) { proof, scenario in
                scenario.policy.algorithms = [.es256, SignatureAlgorithm(rawValue: "none")]
                proof.header["alg"] = "none"
                return [try await proof.signed().split(separator: ".").prefix(2).joined(separator: ".") + "."]
            },
        ]
}
