// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("keybound proof make --key: private keys of every type, as other tools write them")
struct PrivateJWKTests {
    private static let url = "https://api.example.com/me"
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The keys of another implementation: `d` is the private key itself.
    private static let plainKeys: [(String, JSONObject)] = PeerVector.accepted.compactMap { vector in
        guard vector.jwk["kty"] != "RSA" else { return nil }
        var key = vector.jwk
        key["d"] = .string(Base64URL.encode(vector.privateKey))
        if vector.description == "Ed25519" { key["alg"] = "Ed25519" }
        return (vector.description, key)
    }

    /// The key of RFC 7515 appendix A.2, for each algorithm of RSA; without `alg` it is for PS256.
    private static func rsaKeys() throws -> [(String, JSONObject)] {
        let vector = try #require(try RFCVector.all("jws").first { try $0.string("alg") == "RS256" })
        let key = try vector.object("jwk")
        let named = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].map { name in
            var named = key
            named["alg"] = .string(name)
            return (name, named)
        }
        return [("PS256", key)] + named
    }

    private func make(_ key: JSONObject) async throws -> KeyboundProcess.Result {
        try directory.write(String(decoding: JSONValue.object(key).encoded(), as: UTF8.self), to: "key.json")
        return try await KeyboundProcess.run(
            ["proof", "make", "--key", "key.json", "--url", Self.url],
            in: directory
        )
    }

    @Test func `a proof of each key verifies, by the algorithm that the key is for`() async throws {
        let keys = try Self.plainKeys + Self.rsaKeys()
        #expect(keys.count == 12)
        for (algorithm, key) in keys {
            let made = try await make(key)
            try #require(made.status == 0, "\(algorithm): \(made.errors)")
            let proof = made.output.split(separator: "\n").first.map(String.init) ?? ""
            #expect(try CompactJWS(parsing: proof).algorithm.rawValue == algorithm)
            let verified = try await KeyboundProcess.run(
                ["proof", "verify", "--url", Self.url],
                input: proof + "\n",
                in: directory
            )
            #expect(verified.status == 0, "\(algorithm): \(verified.output) \(verified.errors)")
        }
    }

    @Test func `htu has the path as --url writes it, and another spelling of the URL verifies`() async throws {
        let made = try await KeyboundProcess.run(
            ["proof", "make", "--throwaway-key", "--url", "https://API.example.com:443/%2d/%c3%BC?q#f"],
            in: directory
        )
        let proof = made.output.split(separator: "\n").first.map(String.init) ?? ""
        let claims = try CompactJWS(parsing: proof).payloadObject()
        #expect(claims["htu"] == "https://api.example.com/%2d/%c3%BC")
        for url in ["https://api.example.com/%2d/%c3%BC", "https://api.example.com/-/%C3%bc"] {
            let verified = try await KeyboundProcess.run(
                ["proof", "verify", "--url", url],
                input: proof + "\n",
                in: directory
            )
            #expect(verified.status == 0, "\(url): \(verified.output) \(verified.errors)")
        }
    }

    @Test func `key_ops of a private key names signing`() async throws {
        var (_, key) = try #require(Self.plainKeys.first)
        key["key_ops"] = ["sign"]
        key["use"] = "sig"
        #expect(try await make(key).status == 0)
        key["key_ops"] = ["verify"]
        #expect(try await make(key).errors.contains("it is not for signing"))
    }

    @Test func `what is no private key of a supported type is rejected, and not shown`() async throws {
        let (_, ecKey) = try #require(Self.plainKeys.first)
        let (_, rsaKey) = try #require(try Self.rsaKeys().first)
        var cases: [(JSONObject, String)] = []
        func add(_ key: JSONObject, _ expected: String, _ change: (inout JSONObject) -> Void) {
            var key = key
            change(&key)
            cases.append((key, expected))
        }
        add(ecKey, "is not a private key as JWK") { $0["d"] = nil }
        add(ecKey, "the key in key.json cannot be used") { $0["d"] = "AAAA" }
        add(ecKey, "the private key does not match the public key") {
            $0["d"] = .string(Base64URL.encode([UInt8](repeating: 7, count: 32)))
        }
        add(ecKey, "ES384 does not fit its type") { $0["alg"] = "ES384" }
        add(ecKey, "the key is not for signatures") { $0["use"] = "enc" }
        add(ecKey, "not of a supported type") { $0["crv"] = "secp256k1" }
        add(["kty": "oct", "k": "AAAA", "d": "AAAA"], "private member 'k'") { _ in }
        add(rsaKey, "it has no member 'p' in base64url") { $0["p"] = nil }
        add(rsaKey, "are not a private key") { $0["qi"] = "AQAB" }
        add(rsaKey, "private member 'oth'") { $0["oth"] = [] }
        add(rsaKey, "HS256 does not fit its type") { $0["alg"] = "HS256" }
        for (key, expected) in cases {
            let result = try await make(key)
            #expect(result.status == 1 && result.output.isEmpty, "\(expected)")
            #expect(result.errors.contains(expected), "\(result.errors)")
            for name in ["d", "p", "qi"] {
                guard let secret = key[name]?.stringValue, secret.utf8.count > 8 else { continue }
                #expect(!result.errors.contains(secret))
            }
        }
    }
}
