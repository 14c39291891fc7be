// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("Resource server: remembered tokens")
struct RememberedTokenTests {
    /// An issuer whose keys change.
    private final class ChangingKeys: JWKSetSource {
        private let keys: Mutex<JWKSet>

        init(_ keys: JWKSet) { self.keys = Mutex(keys) }

        func use(_ keys: JWKSet) { self.keys.withLock { $0 = keys } }

        func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet { keys.withLock { $0 } }
    }

    private struct Stage {
        let api: GuardedAPI
        let keys: ChangingKeys
        let reader: SignedAccessTokens
        let set: JWKSet

        init(remembering count: Int = 100, audience: String = GuardedAPI.address) throws {
            api = try GuardedAPI()
            set = JWKSet([api.issuerKey.publicKey.named("key-1", algorithm: .es256)])
            keys = ChangingKeys(set)
            var configuration = GuardConfiguration(
                issuer: GuardedAPI.issuer,
                address: try URI(parsing: GuardedAPI.address),
                audience: audience
            )
            configuration.rememberedTokens = count
            reader = SignedAccessTokens(configuration, keys: keys)
        }

        func subject(_ token: String) async throws -> String? {
            try await reader.claims(of: token, at: api.clock.now())?.subject
        }
    }

    @Test func `the signature of a token is verified once in five minutes`() async throws {
        let stage = try Stage()
        let token = try await stage.api.accessToken { $0["exp"] = .number(JSONNumber(1_790_009_000)) }
        for hits in 0..<3 {
            #expect(try await stage.subject(token) == "ada")
            #expect(stage.reader.rememberedHits == hits)
        }
        #expect(stage.reader.rememberedCount == 1)
        stage.api.clock.advance(by: .seconds(300))
        #expect(try await stage.subject(token) == "ada")
        #expect(stage.reader.rememberedHits == 2)
        stage.api.clock.advance(by: .seconds(-10))
        #expect(try await stage.subject(token) == "ada")
        #expect(stage.reader.rememberedHits == 2)
    }

    @Test func `attack: a remembered token that has expired`() async throws {
        let stage = try Stage()
        let token = try await stage.api.accessToken { $0["exp"] = .number(JSONNumber(1_790_000_060)) }
        #expect(try await stage.subject(token) == "ada")
        stage.api.clock.advance(by: .seconds(71))
        #expect(try await stage.subject(token) == nil)
    }

    @Test func `attack: a remembered token whose key was withdrawn or replaced under the same name`() async throws {
        let stage = try Stage()
        let token = try await stage.api.accessToken()
        #expect(try await stage.subject(token) == "ada")
        stage.keys.use(JWKSet([]))
        #expect(try await stage.subject(token) == nil)
        stage.keys.use(JWKSet([stage.api.clientKey.publicKey.named("key-1", algorithm: .es256)]))
        #expect(try await stage.subject(token) == nil)
        stage.keys.use(stage.set)
        #expect(try await stage.subject(token) == "ada")
    }

    @Test func `attack: a token that differs from a remembered one in one character`() async throws {
        let stage = try Stage()
        let token = try await stage.api.accessToken()
        #expect(try await stage.subject(token) == "ada")
        let parts = token.split(separator: ".")
        let other = try await stage.api.accessToken { $0["sub"] = "root" }.split(separator: ".")
        #expect(try await stage.subject("\(parts[0]).\(other[1]).\(parts[2])") == nil)
        #expect(try await stage.subject(token + "A") == nil)
        #expect(stage.reader.rememberedCount == 1)
    }

    @Test func `attack: what is not valid is not remembered`() async throws {
        let stage = try Stage()
        let foreign = try await stage.api.accessToken(signedBy: stage.api.clientKey)
        let other = try await stage.api.accessToken { $0["aud"] = "https://other.example.com" }
        for token in [foreign, other, "x.y.z", ""] { #expect(try await stage.subject(token) == nil) }
        #expect(stage.reader.rememberedCount == 0)
    }

    @Test func `the oldest token leaves when there is no room, and none is remembered without room`() async throws {
        let stage = try Stage(remembering: 2)
        var tokens: [String] = []
        for number in 0..<3 { tokens.append(try await stage.api.accessToken { $0["jti"] = .string("t\(number)") }) }
        for token in tokens { #expect(try await stage.subject(token) == "ada") }
        #expect(stage.reader.rememberedCount == 2)
        _ = try await stage.subject(tokens[2])
        _ = try await stage.subject(tokens[1])
        #expect(stage.reader.rememberedHits == 2)
        _ = try await stage.subject(tokens[0])
        #expect(stage.reader.rememberedHits == 2)
        let none = try Stage(remembering: 0)
        let token = try await none.api.accessToken()
        for _ in 0..<2 { #expect(try await none.subject(token) == "ada") }
        #expect(none.reader.rememberedHits == 0)
        #expect(none.reader.rememberedCount == 0)
    }
}
