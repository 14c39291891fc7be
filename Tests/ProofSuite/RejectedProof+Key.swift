// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import StrictJSON
import TestSupport
import Testing

/// Invalid keys in the header, and invalid signatures.
extension RejectedProof {
    package static let algorithmOfAnotherCurve: [RejectedProof] = [
        key("crv", "P-384"), key("crv", "P-521"), key("crv", "secp256k1"), key("crv", "p-256"), key("crv", nil),
        key("kty", "RSA"),
        key("kty", "OKP"), key("kty", nil), key("alg", "ES384"), key("alg", "HS256"), key("alg", "none"),
        key("use", "enc"), key("key_ops", ["sign"]), key("key_ops", []),
        keyOfAnother("P-384", "ES384"), keyOfAnother("P-521", "ES512"), keyOfAnother("Ed25519", "EdDSA"),
        keyOfAnother("RSA", "PS256"),
    ]

    package static let noKey: [RejectedProof] = [
        header("jwk", nil, .publicKey), header("jwk", .null, .publicKey), header("jwk", [:], .publicKey),
        header("jwk", [], .publicKey), header("jwk", "https://attacker.example/", .publicKey),
        header("jwk", 1, .publicKey),
        RejectedProof("only a kid", .publicKey) { proof, _ in
            proof.header["jwk"] = nil
            proof.header["kid"] = "one"
            return [try await proof.signed()]
        },
    ]

    package static let privateKeys: [RejectedProof] =
        ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].map { key($0, "AAAA") } + [
            key("d", .null), key("d", ""), key("kty", "oct"),
            header("jwk", ["kty": "oct", "k": "AAAA"], .publicKey),
            header("jwk", ["kty": "OKP", "crv": "Ed25519", "x": "AAAA", "d": "AAAA"], .publicKey),
            header("jwk", ["kty": "RSA", "n": "AAAA", "e": "AQAB", "d": "AAAA"], .publicKey),
            RejectedProof("the private key that belongs to the public one", .publicKey) { proof, _ in
                var key = proof.signer.publicKey.json
                key["d"] = .string(Base64URL.encode(proof.signer.privateKeyBytes))
                proof.header["jwk"] = .object(key)
                return [try await proof.signed()]
            },
        ]

    package static let malformedKeys: [RejectedProof] = [
        key("x", nil), key("y", nil), key("x", 1), key("x", ""), key("x", "AAAA"), key("y", "===="),
        key("x", .string(Base64URL.encode([UInt8](repeating: 1, count: 31)))),
        key("x", .string(Base64URL.encode([UInt8](repeating: 1, count: 33)))),
        key("y", .string(Base64URL.encode([UInt8](repeating: 1, count: 64)))),
        key("kid", 1), key("use", 1), key("alg", 1),
        RejectedProof("the leading zero of x left out", .publicKey) { proof, scenario in
            // One scalar in 256 has such a point.
            for scalar in 1...4096 {
                let bytes = [UInt8](repeating: 0, count: 30) + [UInt8(scalar / 256), UInt8(scalar % 256)]
                let key = try SoftwareSigningKey(privateKeyBytes: bytes, algorithm: .es256, protection: .memory)
                var object = key.publicKey.json
                let x = try Base64URL.decode(object["x"]?.stringValue ?? "")
                guard x.first == 0 else { continue }
                object["x"] = .string(Base64URL.encode(x.drop { $0 == 0 }.map { $0 }))
                (proof.signer, proof.header["jwk"]) = (key, .object(object))
                scenario.expectation.thumbprint = nil
                return [try await proof.signed()]
            }
            return []
        },
    ]

    /// The point is checked once, when the signature is verified.
    package static let keysOffTheCurve: [RejectedProof] = [
        offTheCurve("y is x") { x, _ in (x, x) },
        offTheCurve("x and y are swapped") { ($1, $0) },
        offTheCurve("the point at infinity, as zeros") { _, _ in (zeros, zeros) },
        offTheCurve("y is zero") { x, _ in (x, zeros) },
        offTheCurve("coordinates above the prime") { _, _ in (ones, ones) },
    ]

    /// RSA keys that are too weak, too expensive to verify with, or malformed; all RSA algorithms are allowed.
    package static let rsaKeys: [RejectedProof] = [
        rsa("1024 bits", bytes: 128, e: "AQAB"), rsa("2040 bits", bytes: 255, e: "AQAB"),
        rsa("8200 bits", bytes: 1025, e: "AQAB"), rsa("16384 bits", bytes: 2048, e: "AQAB"),
        rsa("e is 1", bytes: 256, e: "AQ"),
        rsa("e is even", bytes: 256, e: "AQAC"), rsa("e is 2 to the 32 and 1", bytes: 256, e: "AQAAAAE"),
        rsa("n is even", bytes: 256, e: "AQAB", last: 0xC0),
        // A valid key, but not the signer's.
        rsa("another signed", bytes: 256, e: "AQAB", .signature),
    ]

    package static let signatures: [RejectedProof] = [
        signature("the first bit is flipped") { $0[0] ^= 0x80 },
        signature("the last bit is flipped") { $0[63] ^= 1 },
        signature("it is empty") { $0 = [] },
        signature("it is cut") { $0 = $0.dropLast() },
        signature("it is longer") { $0 += [0] },
        signature("r and s are zero") { $0 = zeros + zeros },
        signature("r is zero") { $0 = zeros + $0.suffix(32) },
        signature("s is zero") { $0 = $0.prefix(32) + zeros },
        signature("r and s are swapped") { $0 = $0.suffix(32) + $0.prefix(32) },
        signature("it is DER") { $0 = [0x30, 0x44, 0x02, 0x20] + $0.prefix(32) + [0x02, 0x20] + $0.suffix(32) },
        RejectedProof("another key signed", .signature) { proof, _ in
            proof.signer = try TestKey.p256(2)
            return [try await proof.signed()]
        },
        RejectedProof("the payload is that of another proof", .signature) { proof, _ in
            let first = try await proof.signed().split(separator: ".")
            proof.claims["jti"] = "another"
            let second = try await proof.signed().split(separator: ".")
            return ["\(first[0]).\(second[1]).\(first[2])"]
        },
        RejectedProof("the header was changed after signing", .signature) { proof, _ in
            let first = try await proof.signed().split(separator: ".")
            proof.header["kid"] = "one"
            let second = try await proof.signed().split(separator: ".")
            return ["\(second[0]).\(first[1]).\(first[2])"]
        },
    ]

    /// Keys that the header only references: they are neither fetched nor used.
    package static let keysElsewhere: [RejectedProof] = ["kid", "jku", "x5u", "x5c", "x5t"].map { name in
        RejectedProof("another key signed, named by \(name)", .signature) { proof, _ in
            proof.header[name] = name == "x5c" ? ["AAAA"] : "https://attacker.example/key"
            proof.signer = try TestKey.p256(2)
            return [try await proof.signed()]
        }
    }

    private static let zeros = [UInt8](repeating: 0, count: 32)
    private static let ones = [UInt8](repeating: 0xFF, count: 32)

    private static func rsa(
        _ name: String,
        bytes: Int,
        e: String,
        last: UInt8 = 0xC1,
        _ step: ProofStep = .publicKey
    ) -> RejectedProof {
        RejectedProof("RSA: \(name)", step) { proof, scenario in
            let n = [UInt8](repeating: 0xC1, count: bytes - 1) + [last]
            proof.header["jwk"] = ["kty": "RSA", "n": .string(Base64URL.encode(n)), "e": .string(e)]
            proof.header["alg"] = "RS256"
            scenario.policy.algorithms = [.rs256, .ps256]
            scenario.expectation.thumbprint = nil
            return [try await proof.signed()]
        }
    }

    /// A valid key of another type made the signature, but the proof says ES256.
    private static func keyOfAnother(_ type: String, _ algorithm: String) -> RejectedProof {
        RejectedProof("ES256 with a key on \(type)", .publicKey) { proof, scenario in
            let vector = try #require(PeerVector.accepted.first { $0.description == algorithm })
            proof.signer = try SoftwareSigningKey(
                privateKeyBytes: vector.privateKey,
                algorithm: SignatureAlgorithm(rawValue: algorithm),
                protection: .memory
            )
            proof.header["jwk"] = .object(vector.jwk)
            scenario.policy.algorithms = [.es256, SignatureAlgorithm(rawValue: algorithm)]
            scenario.expectation.thumbprint = nil
            return [try await proof.signed()]
        }
    }

    private static func offTheCurve(
        _ name: String,
        _ change: @escaping @Sendable ([UInt8], [UInt8]) -> ([UInt8], [UInt8])
    ) -> RejectedProof {
        RejectedProof(name, .signature) { proof, scenario in
            var key = proof.signer.publicKey.json
            let (x, y) = change(
                try Base64URL.decode(key["x"]?.stringValue ?? ""),
                try Base64URL.decode(key["y"]?.stringValue ?? "")
            )
            key["x"] = .string(Base64URL.encode(x))
            key["y"] = .string(Base64URL.encode(y))
            proof.header["jwk"] = .object(key)
            scenario.expectation.thumbprint = nil
            return [try await proof.signed()]
        }
    }
}
