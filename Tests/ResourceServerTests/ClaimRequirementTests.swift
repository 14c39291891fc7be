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

@Suite("RFC 6750 section 3.1: claims that a request needs")
struct ClaimRequirementTests {
    private let api: GuardedAPI

    init() throws {
        api = try GuardedAPI()
    }

    private func decision(
        _ requirement: GuardRequirement,
        _ change: (inout JSONObject) -> Void
    ) async throws -> GuardDecision {
        let token = try await api.accessToken(change)
        return await api.requestGuard.check(api.request(token, try await api.proof(for: token)), for: requirement)
    }

    private func isAccepted(_ decision: GuardDecision) -> Bool {
        if case .accepted = decision { true } else { false }
    }

    @Test(
        arguments: [
            ("admin", true), ("staff", true), (["dev", "staff"], true), (["admin"], true),
            ("Admin", false), ("admin staff", false), ("admin,staff", false), ("", false), ("dev", false),
            ([], false), (["dev"], false), (["admin", 1], false), ([["admin"]], false), ([.null, "admin"], false),
            (1, false), (true, false), (.null, false), (["admin": true], false), (["0": "admin"], false),
        ] as [(JSONValue, Bool)]
    )
    func `a claim that is needed is one of the values, or an array of strings with one of them`(
        groups: JSONValue,
        isMet: Bool
    ) async throws {
        let requirement = GuardRequirement(claims: [try ClaimRequirement("groups", oneOf: ["admin", "staff"])])
        let decision = try await decision(requirement) { $0["groups"] = groups }
        #expect(isAccepted(decision) == isMet)
        guard case .rejected(let rejection) = decision else { return }
        try expect(
            rejection.response,
            isChallengeWith: "insufficient_scope",
            "The access token does not have a claim that is needed",
            status: 403
        )
        // A client that is told a scope asks for a token with it, which is rejected again.
        let challenge = try Challenge.parse(rejection.response.fields.values(for: "WWW-Authenticate")).first
        #expect(challenge?.value(for: "scope") == nil)
        #expect(api.recordedProofs == 0)
    }

    @Test(
        arguments: [
            (nil, "no such claim"), ("secret", "another value"), (["secret"], "other values"), ([], "other values"),
            (7, "a value of another type"), ([7], "a value of another type"),
        ] as [(JSONValue?, String)]
    )
    func `the log names the claim and what was needed, but not what the token has`(
        groups: JSONValue?,
        found: String
    ) async throws {
        let requirement = GuardRequirement(claims: [try ClaimRequirement("/groups", oneOf: ["admin", "staff"])])
        guard case .rejected(let rejection) = try await decision(requirement, { $0["groups"] = groups }) else {
            Issue.record("accepted")
            return
        }
        #expect(rejection.reason.check == "claims" && rejection.reason.section == "RFC 6750 section 3.1")
        #expect(rejection.reason.expected == "groups = admin or staff")
        #expect(rejection.reason.found == found)
    }

    @Test func `values are compared byte by byte`() async throws {
        let requirement = GuardRequirement(claims: [try ClaimRequirement("groups", oneOf: ["K", "\u{E9}"])])
        for group in ["\u{212A}", "e\u{301}", "k"] {
            let other = try await decision(requirement) { $0["groups"] = .string(group) }
            #expect(!isAccepted(other), "\(group)")
        }
        let same = try await decision(requirement) { $0["groups"] = "\u{E9}" }
        #expect(isAccepted(same))
    }

    @Test func `all claims must hold`() async throws {
        let requirement = GuardRequirement(
            claims: [
                try ClaimRequirement("groups", oneOf: ["admin"]), try ClaimRequirement("tenant", oneOf: ["acme"]),
            ]
        )
        for (groups, tenant, isMet) in [
            ("admin", "acme", true), ("admin", "other", false), ("dev", "acme", false), ("acme", "admin", false),
        ] {
            let decision = try await decision(requirement) { claims in
                claims["groups"] = .string(groups)
                claims["tenant"] = .string(tenant)
            }
            #expect(isAccepted(decision) == isMet, "\(groups) \(tenant)")
        }
    }

    @Test(
        arguments: [
            ("/realm_access/roles", true), ("/a~1b/c~0d", true), ("https://example.com/roles", true),
            ("a.b", true), ("/https:~1~1example.com~1roles", true), ("/~01", true),
            ("realm_access/roles", false), ("realm_access.roles", false), ("/realm_access", false),
            ("/realm_access/roles/0", false), ("/realm_access/other", false), ("/missing/roles", false),
            ("/sub/roles", false), ("roles", false), ("/Realm_access/roles", false),
        ]
    )
    func `a pointer leads into objects, and any other name is a plain one`(name: String, isMet: Bool) async throws {
        let requirement = GuardRequirement(claims: [try ClaimRequirement(name, oneOf: ["admin"])])
        let decision = try await decision(requirement) { claims in
            claims["realm_access"] = ["roles": ["admin", "dev"]]
            claims["a/b"] = ["c~d": "admin"]
            claims["https://example.com/roles"] = ["admin"]
            claims["a.b"] = "admin"
            claims["~1"] = "admin"
        }
        #expect(isAccepted(decision) == isMet)
    }

    @Test(arguments: [
        ("", "is empty"), ("/", "empty name"), ("/a/", "empty name"), ("/a//b", "empty name"),
        ("/a~2", "'~0'"), ("/a~", "'~0'"), ("/~~1", "'~0'"),
    ])
    func `names that lead nowhere are errors`(_ name: String, _ text: String) {
        let error = #expect(throws: ResourceServerError.self) { try ClaimRequirement(name, oneOf: ["x"]) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.reason.contains(text) ?? false, "\(error?.reason ?? "")")
    }

    @Test func `a claim without values and a repeated value are errors`() {
        let none = #expect(throws: ResourceServerError.self) { try ClaimRequirement("groups", oneOf: []) }
        #expect(none?.reason == "the claim 'groups' has no values: list at least one that the token may have")
        let twice = #expect(throws: ResourceServerError.self) { try ClaimRequirement("groups", oneOf: ["a", "a"]) }
        #expect(twice?.reason == "the claim 'groups' has the value 'a' twice")
    }

    @Test func `a name has one spelling`() throws {
        for (text, description) in [
            ("groups", "groups"), ("/groups", "groups"), ("/a/b", "/a/b"), ("/~1a", "/~1a"), ("a/b", "a/b"),
            ("/a~1b", "a/b"), ("/a~1b/~0", "/a~1b/~0"),
        ] {
            let name = try ClaimName(text)
            #expect(name.description == description)
            #expect(try ClaimName(name.description) == name)
        }
        #expect(try ClaimName("\u{E9}") != ClaimName("e\u{301}"))
    }

    /// RFC 7662 section 2.2: other members of the response are claims too.
    @Test func `claims of an opaque token come from its introspection`() async throws {
        let configuration = GuardConfiguration(
            issuer: GuardedAPI.issuer,
            address: try URI(parsing: GuardedAPI.address),
            proofs: ProofPolicy(nonces: .off)
        )
        let requirement = GuardRequirement(claims: [try ClaimRequirement("/realm_access/roles", oneOf: ["admin"])])
        for (role, isMet) in [("admin", true), ("dev", false)] {
            var answer = api.tokenClaims { $0["realm_access"] = ["roles": [.string(role)]] }
            answer["active"] = true
            let reader = try IntrospectingAccessTokens(
                configuration,
                endpoint: URI(parsing: "https://auth.example.com/introspect"),
                clientID: "api",
                clientSecret: ClientSecret("secret"),
                transport: Introspection(answer: answer)
            )
            let requestGuard = try RequestGuard(
                configuration: configuration,
                accessTokens: reader,
                clock: api.clock
            )
            let request = api.request("opaque", try await api.proof(for: "opaque"))
            let decision = await requestGuard.check(request, for: requirement)
            #expect(isAccepted(decision) == isMet, "\(role)")
        }
    }

    private struct Introspection: HTTPTransport {
        let answer: JSONObject

        func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
            HTTPResponse(
                status: 200,
                fields: ["Content-Type": "application/json"],
                body: JSONValue.object(answer).encoded()
            )
        }
    }

    /// A new scope or sign-in may bring the claim, or be in vain: what can be mended comes first only if nothing else can help.
    @Test func `the scope is checked before the claims, and the claims before the sign-in`() async throws {
        let requirement = GuardRequirement(
            scope: try Scope(["api:admin"]),
            claims: [try ClaimRequirement("groups", oneOf: ["admin"])],
            contexts: ["mfa"]
        )
        for (scope, groups, check) in [
            ("api:read", "dev", "scope"), ("api:admin", "dev", "claims"), ("api:admin", "admin", "authentication"),
        ] {
            let decision = try await decision(requirement) { claims in
                claims["scope"] = .string(scope)
                claims["groups"] = .string(groups)
            }
            guard case .rejected(let rejection) = decision else {
                Issue.record("accepted: \(check)")
                continue
            }
            #expect(rejection.reason.check == check)
        }
    }

    @Test func `a second requirement for the same request is checked too`() async throws {
        let token = try await api.accessToken { $0["groups"] = ["admin"] }
        let request = api.request(token, try await api.proof(for: token))
        guard case .accepted(let first) = await api.requestGuard.check(request, for: .init(), after: nil) else {
            Issue.record("rejected")
            return
        }
        for (value, isMet) in [("admin", true), ("staff", false)] {
            let requirement = GuardRequirement(claims: [try ClaimRequirement("groups", oneOf: [value])])
            let second = await api.requestGuard.check(request, for: requirement, after: first)
            #expect(isAccepted(second) == isMet, "\(value)")
        }
    }

    @Test func `attack: who has no proof of the key learns nothing about claims`() async throws {
        let token = try await api.accessToken()
        let requirement = GuardRequirement(claims: [try ClaimRequirement("groups", oneOf: ["admin"])])
        guard case .rejected(let rejection) = await api.requestGuard.check(api.request(token, ""), for: requirement)
        else {
            Issue.record("accepted")
            return
        }
        try expect(rejection.response, isChallengeWith: "invalid_dpop_proof")
    }
}
