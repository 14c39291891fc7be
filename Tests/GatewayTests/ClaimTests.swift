// SPDX-License-Identifier: Apache-2.0

import DPoP
import Gateway
import HTTPMessage
import OAuthCore
import ResourceServer
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway: claims")
struct ClaimTests {
    private static let names = [
        "X-Keybound-Groups": "groups", "X-Keybound-Roles": "/realm_access/roles",
        "X-Keybound-Teams": "https://example.com/teams", "X-Keybound-Level": "/account/level",
    ]

    @Test func `a rule demands claims, and the decision names the check`() async throws {
        let admins = GuardRequirement(claims: [try ClaimRequirement("/realm_access/roles", oneOf: ["admin", "staff"])])
        let rule = try GatewayRule(path: PathPattern("/admin/**"), demand: .token(admins))
        let stage = try GatewayStage(rules: [rule])
        let refused = await stage.engine.respond(to: try await stage.honest("/admin/x"))
        #expect(refused.status == 403)
        let challenge = refused.fields["WWW-Authenticate"] ?? ""
        #expect(challenge.hasPrefix("DPoP error=\"insufficient_scope\"") && !challenge.contains("scope=\""))
        #expect(stage.replay.count == 0)
        let decision = try #require(stage.decisions.last)
        #expect(decision.outcome == .rejected && decision.check == "claims" && decision.rule == "/admin/**")
        #expect(decision.detail?.contains("/realm_access/roles = admin or staff, found no such claim") ?? false)
        let token = try await stage.accessToken { $0["realm_access"] = ["roles": ["dev", "staff"]] }
        let allowed = try await stage.honest("/admin/x", token: token)
        #expect(await stage.status(allowed) == 200)
    }

    /// The rule of docs/gateway.md for the tokens of Keybound's own server.
    @Test func `a rule with the scope that releases a claim tells the app to ask for it`() async throws {
        let groups = try ClaimRequirement("groups", oneOf: ["admin"])
        let admins = GuardRequirement(scope: try Scope(["notes:read", "groups"]), claims: [groups])
        let stage = try GatewayStage(rules: [try GatewayRule(path: PathPattern("/admin/**"), demand: .token(admins))])
        for (scope, isNamed) in [("notes:read", true), ("notes:read groups", false)] {
            let token = try await stage.accessToken { $0["scope"] = .string(scope) }
            let refused = await stage.engine.respond(to: try await stage.honest("/admin/x", token: token))
            #expect(refused.status == 403)
            let challenge = refused.fields["WWW-Authenticate"] ?? ""
            #expect(challenge.hasPrefix("DPoP error=\"insufficient_scope\""))
            #expect(challenge.contains("scope=\"notes:read groups\"") == isNamed, "\(scope)")
        }
        let token = try await stage.accessToken { claims in
            claims["scope"] = "notes:read groups"
            claims["groups"] = ["admin"]
        }
        let allowed = try await stage.honest("/admin/x", token: token)
        #expect(await stage.status(allowed) == 200)
    }

    @Test func `a rule demands one of several scopes`() async throws {
        let readers = GuardRequirement(anyScope: try Scope(["notes:read", "notes:admin"]))
        let stage = try GatewayStage(rules: [
            try GatewayRule(path: PathPattern("/notes"), demand: .token(readers))
        ])
        let admin = try await stage.accessToken { $0["scope"] = "notes:admin" }
        let allowed = try await stage.honest(token: admin)
        #expect(await stage.status(allowed) == 200)
        let other = try await stage.accessToken { $0["scope"] = "payments" }
        let refused = await stage.engine.respond(to: try await stage.honest(token: other))
        #expect(refused.status == 403)
        #expect(refused.fields["WWW-Authenticate"]?.contains("scope=\"notes:read\"") ?? false)
        #expect(stage.decisions.last?.check == "scope")
    }

    @Test func `attack: elements of arrays and claims in objects are encoded, and can be told apart`() async throws {
        let stage = try GatewayStage { $0.claimFields = Self.names }
        let token = try await stage.accessToken { claims in
            claims["groups"] = ["admin", "a,b", "x\r\nX-Keybound-Subject: root", "\u{E9}", "50%2C", "-", "a b"]
            claims["realm_access"] = ["roles": ["one"]]
            claims["https://example.com/teams"] = "solo"
            claims["account"] = ["level": 7]
        }
        let answer = await stage.engine.respond(to: try await stage.honest(token: token))
        #expect(answer.status == 200)
        #expect(
            answer.fields.values(for: "X-Keybound-Groups") == [
                "admin,a%2Cb,x%0D%0AX-Keybound-Subject:%20root,%C3%A9,50%252C,%2D,a%20b"
            ]
        )
        #expect(answer.fields.values(for: "X-Keybound-Roles") == ["one"])
        #expect(answer.fields.values(for: "X-Keybound-Teams") == ["solo"])
        #expect(answer.fields.values(for: "X-Keybound-Level") == ["7"])
        #expect(answer.fields.values(for: "X-Keybound-Subject") == ["ada"])
    }

    @Test(
        arguments: [
            ([], "-"), ([""], "-"), ("", "-"), (["a", ""], "a,"), (["", "a"], ",a"), (["-"], "%2D"), ("x", "x"),
            ([1, true, "x"], "1,true,x"), (false, "false"),
            (["a", .null], "-"), (["a", ["b"]], "-"), (["a", ["b": "c"]], "-"), (["a": "b"], "-"), (.null, "-"),
        ] as [(JSONValue, String)]
    )
    func `no part of a claim is left out`(claim: JSONValue, value: String) async throws {
        let stage = try GatewayStage { $0.claimFields = Self.names }
        let token = try await stage.accessToken { claims in
            claims["groups"] = claim
            claims["realm_access"] = ["roles": claim]
        }
        let answer = await stage.engine.respond(to: try await stage.honest(token: token))
        #expect(answer.status == 200)
        #expect(answer.fields.values(for: "X-Keybound-Groups") == [value])
        #expect(answer.fields.values(for: "X-Keybound-Roles") == [value])
    }

    @Test func `a claim that is missing on the way is no claim`() async throws {
        let stage = try GatewayStage { $0.claimFields = Self.names }
        for outer in [nil, "roles", ["roles"], ["other": ["admin"]], .null] as [JSONValue?] {
            let token = try await stage.accessToken { $0["realm_access"] = outer }
            let answer = await stage.engine.respond(to: try await stage.honest(token: token))
            #expect(answer.status == 200)
            #expect(answer.fields.values(for: "X-Keybound-Roles") == ["-"])
        }
    }

    @Test func `attack: a client that sends the fields itself changes none of them`() async throws {
        let stage = try GatewayStage { $0.claimFields = Self.names }
        func forge(_ fields: inout HTTPFields) {
            for name in Self.names.keys { fields.append(name: name, value: "root") }
        }
        let token = try await stage.accessToken { $0["groups"] = ["dev"] }
        let known = await stage.engine.respond(to: try await stage.honest(token: token, forge))
        #expect(known.status == 200)
        #expect(known.fields.values(for: "X-Keybound-Groups") == ["dev"])
        #expect(known.fields.values(for: "X-Keybound-Roles") == ["-"])
        let open = await stage.engine.respond(to: stage.question("/health", forge))
        #expect(open.status == 200)
        for name in Self.names.keys { #expect(open.fields.values(for: name) == ["-"], "\(name)") }
    }

    @Test(
        arguments: [
            (.strings(Array(repeating: "a", count: 512)), true), (.strings(Array(repeating: "a", count: 513)), false),
            (.string(String(repeating: "a", count: 1024)), true), (.string(String(repeating: "a", count: 1025)), false),
            (.strings([String(repeating: "a", count: 1024)]), true),
            (.strings(["b", String(repeating: "a", count: 1025)]), false),
            (.string(String(repeating: ",", count: 341)), true), (.string(String(repeating: ",", count: 342)), false),
            (.strings([String(repeating: ",", count: 342)]), false),
        ] as [(JSONValue, Bool)]
    )
    func `attack: a claim that is too long is rejected, not cut`(claim: JSONValue, passes: Bool) async throws {
        let stage = try GatewayStage { $0.claimFields = Self.names }
        let token = try await stage.accessToken { $0["groups"] = claim }
        let answer = await stage.engine.respond(to: try await stage.honest(token: token))
        #expect(answer.status == (passes ? 200 : 401))
        guard !passes else { return }
        #expect(answer.fields["WWW-Authenticate"]?.contains("error=\"invalid_token\"") ?? false)
        #expect(answer.fields["X-Keybound-Groups"] == nil)
        #expect(stage.decisions.last?.check == "claims")
        #expect(stage.decisions.last?.detail?.contains("X-Keybound-Groups of at most 1024 bytes") ?? false)
    }

    @Test(
        arguments: [
            ("scope", "X-Keybound-Scope", .string((0..<90).map { "notes:read:\($0)" }.joined(separator: " "))),
            ("acr", "X-Keybound-Acr", .string(String(repeating: "a", count: 1025))),
        ] as [(String, String, JSONValue)]
    )
    func `attack: a scope or an acr that is too long is not sent as none`(
        claim: String,
        field: String,
        value: JSONValue
    ) async throws {
        let stage = try GatewayStage { _ in }
        let token = try await stage.accessToken { claims in
            claims[claim] = claim == "scope" ? .string("notes:read " + (value.stringValue ?? "")) : value
        }
        let answer = await stage.engine.respond(to: try await stage.honest(token: token))
        #expect(answer.status == 401)
        #expect(answer.fields[field] == nil)
        #expect(stage.decisions.last?.detail?.contains("\(field) of at most 1024 bytes") ?? false)
    }
}
