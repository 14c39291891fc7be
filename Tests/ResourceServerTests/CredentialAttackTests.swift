// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import ResourceServer
import StrictJSON
import TestSupport
import Testing

@Suite("Attacks on the way a token is presented, RFC 9449 section 7 and RFC 6750 section 2")
struct CredentialAttackTests {
    private let api: GuardedAPI

    init() throws {
        api = try GuardedAPI()
    }

    @Test func `a request without credentials is told what is needed, and of no error`() async throws {
        let response = await api.send(HTTPRequest(target: "/notes"))
        #expect(response.status == 401)
        #expect(response.fields.values(for: "WWW-Authenticate") == ["DPoP algs=\"ES256 Ed25519 EdDSA\""])
        expectPrivate(response)
        let basic = await api.send(HTTPRequest(target: "/notes", fields: ["Authorization": "Basic dTpw"]))
        #expect(basic.fields.values(for: "WWW-Authenticate") == ["DPoP algs=\"ES256 Ed25519 EdDSA\""])
    }

    @Test func `a proof without a token is no credentials`() async throws {
        let proof = try await api.proof(for: "x")
        let response = await api.send(HTTPRequest(target: "/notes", fields: ["DPoP": proof]))
        #expect(response.fields.values(for: "WWW-Authenticate") == ["DPoP algs=\"ES256 Ed25519 EdDSA\""])
    }

    @Test(arguments: ["", "DPoP", "DPoP ", "DPoP a b", "DPoP a,b", "DPoP \"a\"", "DPoP a=b=c", "DPoP\ta", "DPoP a="])
    func `credentials that are malformed`(value: String) async throws {
        let response = await api.send(HTTPRequest(target: "/notes", fields: ["Authorization": value]))
        try expect(response, isChallengeWith: "invalid_token")
    }

    @Test func `credentials that are very long`() async throws {
        let value = "DPoP " + String(repeating: "a", count: 100_000)
        let response = await api.send(HTTPRequest(target: "/notes", fields: ["Authorization": value]))
        try expect(response, isChallengeWith: "invalid_token")
    }

    @Test(arguments: [true, false])
    func `attack 103, bound_token_as_bearer`(hasProof: Bool) async throws {
        let token = try await api.accessToken()
        let proof = hasProof ? try await api.proof(for: token) : nil
        for scheme in ["Bearer", "bearer"] {
            let response = await api.send(api.request(token, proof, scheme: scheme))
            #expect(response.status == 401)
            // RFC 9449 figure 18: the error goes to the scheme that was used.
            let challenges = try Challenge.parse(response.fields.values(for: "WWW-Authenticate"))
            #expect(challenges.map(\.scheme) == ["Bearer", "DPoP"])
            #expect(challenges[0].value(for: "error") == "invalid_token")
            #expect(challenges[1].value(for: "error") == nil)
            #expect(challenges[1].value(for: "algs") == "ES256 Ed25519 EdDSA")
        }
        #expect(api.recordedProofs == 0)
    }

    @Test func `attack 103, any other bearer token too`() async throws {
        let unbound = try await api.accessToken { $0["cnf"] = nil }
        for token in [unbound, "nonsense"] {
            let response = await api.send(api.request(token, nil, scheme: "Bearer"))
            let challenges = try Challenge.parse(response.fields.values(for: "WWW-Authenticate"))
            #expect(response.status == 401)
            #expect(challenges.first?.scheme == "Bearer" && challenges.first?.value(for: "error") == "invalid_token")
        }
    }

    private func expectSeveralMethods(
        _ request: HTTPRequest,
        saying description: String = "Multiple methods used to include access token",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let response = await api.send(request)
        #expect(response.status == 400, sourceLocation: sourceLocation)
        let challenges = try Challenge.parse(response.fields.values(for: "WWW-Authenticate"))
        #expect(challenges.map(\.scheme) == ["Bearer", "DPoP"], sourceLocation: sourceLocation)
        let errors = challenges.map { $0.value(for: "error") }
        #expect(errors == ["invalid_request", "invalid_request"], sourceLocation: sourceLocation)
        let descriptions = challenges.map { $0.value(for: "error_description") }
        #expect(descriptions == [description, description], sourceLocation: sourceLocation)
        #expect(api.recordedProofs == 0, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["?access_token=x", "?a=b&access_token=x", "?access%5Ftoken=x", "?access_token", "?access_token="])
    func `attack 104, bound_token_in_query_or_body, query`(query: String) async throws {
        let token = try await api.accessToken()
        let proof = try await api.proof(for: token)
        try await expectSeveralMethods(api.request(token, proof, target: "/notes" + query))
        try await expectSeveralMethods(
            HTTPRequest(target: "/notes" + query, fields: ["DPoP": proof]),
            saying: Self.misplaced
        )
    }

    @Test(arguments: ["application/x-www-form-urlencoded", "APPLICATION/X-WWW-FORM-URLENCODED ;charset=utf-8"])
    func `attack 104, bound_token_in_query_or_body, body`(type: String) async throws {
        let token = try await api.accessToken()
        var request = api.request(token, try await api.proof("POST", for: token), method: "POST")
        request.fields["Content-Type"] = type
        request.body = Array("a=b&access_token=\(token)".utf8)
        try await expectSeveralMethods(request)
        request.fields["Authorization"] = nil
        try await expectSeveralMethods(request, saying: Self.misplaced)
    }

    private static let misplaced = "The access token must be in the Authorization field, not in a query or a form"

    @Test func `attack 104, a body of another type is none of our business`() async throws {
        let token = try await api.accessToken()
        var request = api.request(token, try await api.proof("POST", for: token), method: "POST")
        request.fields["Content-Type"] = "text/plain"
        request.body = Array("access_token=x".utf8)
        #expect(await api.send(request).status == 200)
    }

    @Test(arguments: ["DPoP", "Bearer", "Basic"])
    func `attack 106, two_authorization_headers`(scheme: String) async throws {
        var request = try await api.honestRequest()
        request.fields.append(name: "authorization", value: "\(scheme) x")
        try await expectSeveralMethods(request)
    }

    @Test func `a scope that the token does not have is a 403 that names it, and records nothing`() async throws {
        let token = try await api.accessToken { $0["scope"] = "api:read" }
        let request = api.request(token, try await api.proof(for: token))
        let response = await api.send(request, needing: try Scope(parsing: "api:read api:write"))
        try expect(response, isChallengeWith: "insufficient_scope", status: 403)
        let challenge = try Challenge.parse(response.fields.values(for: "WWW-Authenticate")).first
        #expect(challenge?.value(for: "scope") == "api:read api:write")
        #expect(api.recordedProofs == 0)
        #expect(await api.send(request, needing: try Scope(parsing: "api:read")).status == 200)
    }

    @Test func `a token whose scope is missing or no text has none`() async throws {
        for scope in [nil, ["api:read"], 1, "api:read  x"] as [JSONValue?] {
            let token = try await api.accessToken { $0["scope"] = scope }
            let response = await api.send(
                api.request(token, try await api.proof(for: token)),
                needing: try Scope(parsing: "api:read")
            )
            try expect(response, isChallengeWith: "insufficient_scope", status: 403)
        }
    }
}
