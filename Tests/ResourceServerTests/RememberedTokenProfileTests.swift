// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer
import StrictJSON
import TestSupport
import Testing

@Suite("Resource server: token profiles and remembered tokens")
struct RememberedTokenProfileTests {
    private let api: GuardedAPI

    init() throws {
        api = try GuardedAPI()
    }

    private func reader(_ profile: AccessTokenProfile) throws -> SignedAccessTokens {
        var configuration = GuardConfiguration(
            issuer: GuardedAPI.issuer,
            address: try URI(parsing: GuardedAPI.address)
        )
        configuration.tokenProfile = profile
        let keys = JWKSet([api.issuerKey.publicKey.named("key-1", algorithm: .es256)])
        return SignedAccessTokens(configuration, keys: FixedJWKSet(keys))
    }

    @Test func `a remembered token has the same client and scope as before`() async throws {
        let reader = try reader(.jwtWithoutExplicitType)
        let token = try await api.accessToken(header: ["typ": "JWT", "kid": "key-1"]) { claims in
            for name in ["client_id", "scope", "iat", "jti"] { claims[name] = nil }
            claims["cid"] = "app"
            claims["scp"] = ["api:read", "api:write"]
            claims["tenant"] = "north"
        }
        for hits in 0..<3 {
            let claims = try #require(try await reader.claims(of: token, at: api.clock.now()))
            #expect(claims.string("client_id") == "app")
            #expect(claims.string("scope") == "api:read api:write")
            #expect(claims.string("tenant") == "north")
            #expect(claims.subject == "ada")
            #expect(reader.rememberedHits == hits)
        }
        #expect(reader.rememberedCount == 1)
        api.clock.advance(by: .seconds(311))
        #expect(try await reader.claims(of: token, at: api.clock.now()) == nil)
    }

    @Test func `attack: another kind of token is not remembered, however often it comes`() async throws {
        let reader = try reader(.jwtWithoutExplicitType)
        let header: JSONObject = ["typ": "JWT", "kid": "key-1"]
        let changes: [@Sendable (inout JSONObject) -> Void] = [
            { $0["typ"] = "ID" }, { $0["nonce"] = "n-1" }, { $0["azp"] = "other" }, { $0["client_id"] = nil },
        ]
        for change in changes {
            let token = try await api.accessToken(header: header, change)
            for _ in 0..<2 { #expect(try await reader.claims(of: token, at: api.clock.now()) == nil) }
        }
        #expect(reader.rememberedCount == 0)
    }

    @Test func `by default a token is what RFC 9068 says, and its claims are its own`() async throws {
        let configuration = GuardConfiguration(issuer: GuardedAPI.issuer, address: try URI(parsing: GuardedAPI.address))
        #expect(configuration.tokenProfile == .rfc9068)
        let reader = try reader(.rfc9068)
        let now = api.clock.now()
        #expect(try await reader.claims(of: try await api.accessToken(header: ["typ": "JWT"]), at: now) == nil)
        #expect(try await reader.claims(of: try await api.accessToken(header: ["kid": "key-1"]), at: now) == nil)
        let other = try await api.accessToken { claims in
            claims["azp"] = claims["client_id"]
            claims["client_id"] = nil
        }
        #expect(try await reader.claims(of: other, at: now) == nil)
        // Claims of another profile mean nothing here.
        let token = try await api.accessToken { claims in
            claims["scope"] = nil
            claims["scp"] = ["api:read"]
            claims["azp"] = "other"
            claims["nonce"] = "n-1"
        }
        for _ in 0..<2 {
            let claims = try #require(try await reader.claims(of: token, at: now))
            #expect(claims.string("scope") == nil)
            #expect(claims.string("client_id") == "app")
        }
    }
}
