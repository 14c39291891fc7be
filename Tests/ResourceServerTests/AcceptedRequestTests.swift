// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer
import StrictJSON
import TestSupport
import Testing

@Suite("Requests that a guard must accept")
struct AcceptedRequestTests {
    @Test func `a bound token with a proof is accepted, with what is known about it`() async throws {
        let api = try GuardedAPI()
        let decision = await api.requestGuard.check(
            try await api.honestRequest(),
            for: GuardRequirement(scope: try Scope(parsing: "api:read"))
        )
        guard case .accepted(let authorized) = decision else {
            Issue.record("refused")
            return
        }
        #expect(authorized.subject == "ada")
        #expect(authorized.clientID == "app")
        #expect(authorized.scope == (try Scope(parsing: "api:write api:read")))
        #expect(authorized.binding == .key(api.clientKey.publicKey.thumbprint))
        #expect(authorized.claims.tokenID == "token-1")
        #expect(authorized.responseFields.all.isEmpty)
        #expect(api.recordedProofs == 1)
    }

    @Test(arguments: ["dpop", "DPOP", "DPoP", "dPoP"])
    func `the scheme is compared without case`(scheme: String) async throws {
        let api = try GuardedAPI()
        let token = try await api.accessToken()
        #expect(await api.send(api.request(token, try await api.proof(for: token), scheme: scheme)).status == 200)
    }

    @Test func `the name of the DPoP field is compared without case`() async throws {
        let api = try GuardedAPI()
        let token = try await api.accessToken()
        var request = api.request(token, nil)
        request.fields.append(name: "DPOP", value: try await api.proof(for: token))
        #expect(await api.send(request).status == 200)
    }

    @Test(arguments: [
        "https://api.example.com/notes?a=b#c", "HTTPS://API.EXAMPLE.COM/notes", "https://api.example.com:443/notes",
        "https://api.example.com/%6Eotes", "https://api.example.com/x/../notes",
    ])
    func `an htu that means the same is accepted`(htu: String) async throws {
        let api = try GuardedAPI()
        let token = try await api.accessToken()
        #expect(await api.send(api.request(token, try await api.proof("GET", htu, for: token))).status == 200)
    }

    @Test(arguments: [-10, 10] as [Int64])
    func `a clock that is ten seconds off is accepted`(offset: Int64) async throws {
        let api = try GuardedAPI()
        let token = try await api.accessToken()
        let iat = api.clock.now().secondsSince1970 + offset
        let proof = try await api.proof(for: token) { $0["iat"] = .number(JSONNumber(iat)) }
        #expect(await api.send(api.request(token, proof)).status == 200)
    }

    @Test func `additional members and claims are accepted, exp and nbf among them`() async throws {
        let api = try GuardedAPI()
        let token = try await api.accessToken { $0["tenant"] = "t" }
        let now = api.clock.now().secondsSince1970
        let proof = try await api.proof(for: token, header: ["typ": "dpop+jwt", "kid": "mine"]) {
            $0["exp"] = .number(JSONNumber(now + 60))
            $0["nbf"] = .number(JSONNumber(now - 5))
            $0["more"] = ["a": 1]
        }
        #expect(await api.send(api.request(token, proof)).status == 200)
    }

    @Test func `a query is no part of htu`() async throws {
        let api = try GuardedAPI()
        let token = try await api.accessToken()
        let proof = try await api.proof(for: token)
        #expect(await api.send(api.request(token, proof, target: "/notes?limit=5")).status == 200)
    }

    @Test func `the audience may be one of several, and the token type may be written out`() async throws {
        let api = try GuardedAPI()
        let token = try await api.accessToken(header: ["typ": "application/AT+JWT"]) {
            $0["aud"] = ["https://else.example.com", .string(GuardedAPI.address)]
        }
        #expect(await api.send(api.request(token, try await api.proof(for: token))).status == 200)
    }

    @Test func `an address with a path stands before the path that arrives`() async throws {
        let api = try GuardedAPI { configuration in
            configuration.address = (try? URI(parsing: "https://example.com/api")) ?? configuration.address
        }
        let token = try await api.accessToken()
        let proof = try await api.proof("GET", "https://example.com/api/notes", for: token)
        #expect(await api.send(api.request(token, proof)).status == 200)
    }
}
