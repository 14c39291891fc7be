// SPDX-License-Identifier: Apache-2.0

import Gateway
import HTTPMessage
import OAuthCore
import ResourceServer
import TestSupport
import Testing

@testable import Gateway

@Suite("Gateway: rules")
struct RuleTests {
    private func matches(_ pattern: String, _ path: String, isCaseSensitive: Bool = false) throws -> Bool {
        let plain = try #require(PlainPath(path))
        return try PathPattern(pattern).matches(plain, isCaseSensitive: isCaseSensitive)
    }

    @Test(arguments: [
        ("/admin", "/admin", true), ("/admin", "/admin/", true), ("/admin", "/ADMIN", true),
        ("/admin", "/admin/x", false),
        ("/notes/*", "/notes/1", true), ("/notes/*", "/notes", false), ("/notes/*", "/notes/1/2", false),
        ("/notes/**", "/notes", true), ("/notes/**", "/notes/1/2", true), ("/notes/**", "/notesx", false),
        ("/**", "/", true), ("/import/*/rows", "/import/7/rows", true), ("/import/*/rows", "/import/rows", false),
        ("/%6Eotes", "/notes", true), ("/caf%c3%a9", "/caf%C3%A9", true),
    ])
    func `patterns fit whole segments`(_ pattern: String, _ path: String, _ fits: Bool) throws {
        #expect(try matches(pattern, path) == fits)
    }

    @Test func `an API can tell capitals apart`() throws {
        #expect(try !matches("/admin", "/ADMIN", isCaseSensitive: true))
    }

    @Test(arguments: ["notes", "/no*tes", "/**/x", "/a/../b", "/a%2e", "/a//b", "/a b"])
    func `patterns that cannot fit are rejected`(_ pattern: String) {
        let error = #expect(throws: GatewayError.self) { try PathPattern(pattern) }
        #expect(error?.code == .invalidRule)
    }

    @Test(arguments: ["get", "TRACE", "CONNECT", "", "G T"])
    func `methods that no rule may name`(_ method: String) {
        #expect(throws: GatewayError.self) {
            try GatewayRule(path: PathPattern("/x"), methods: [method], demand: .nothing)
        }
    }

    @Test func `attack: the first rule counts, HEAD is GET, and odd methods fit no rule`() throws {
        let api = try api([
            GatewayRule(path: PathPattern("/admin"), demand: GatewayStage.token("admin")),
            GatewayRule(path: PathPattern("/**"), methods: ["GET"], demand: .nothing),
            GatewayRule(path: PathPattern("/**"), demand: GatewayStage.token("write")),
        ])
        func demand(_ method: String, _ path: String) -> GatewayRule.Demand? {
            PlainPath(path).flatMap { api.rule(for: method, $0)?.demand }
        }
        #expect(demand("GET", "/ADMIN/") == (try GatewayStage.token("admin")))
        #expect(demand("HEAD", "/x") == .nothing)
        #expect(demand("POST", "/x") == (try GatewayStage.token("write")))
        for method in ["get", "TRACE", "CONNECT", "Post"] { #expect(demand(method, "/x") == nil, "\(method)") }
    }

    @Test func `attack: other capitals meet no open rule, and the rules that either reading chooses`() throws {
        let strong = GuardRequirement(scope: try Scope(["pay"]), contexts: ["mfa", "hwk"], maximumAge: .seconds(60))
        let other = GuardRequirement(contexts: ["hwk", "pwd"], allowsUnboundTokens: true)
        var api = try api([
            GatewayRule(path: PathPattern("/health"), demand: .nothing),
            GatewayRule(path: PathPattern("/notes/stats"), demand: GatewayStage.token("stats")),
            GatewayRule(path: PathPattern("/notes/**"), demand: GatewayStage.token("read")),
            GatewayRule(path: PathPattern("/pay/now"), demand: .token(strong)),
            GatewayRule(path: PathPattern("/pay/*"), demand: .token(other)),
            GatewayRule(path: PathPattern("/odd"), demand: .token(GuardRequirement(contexts: ["a"]))),
            GatewayRule(path: PathPattern("/Odd"), demand: .token(GuardRequirement(contexts: ["b"]))),
        ])
        func demand(_ path: String) -> GatewayRule.Demand? {
            PlainPath(path).flatMap { api.rule(for: "GET", $0)?.demand }
        }
        #expect(demand("/health") == .nothing)
        #expect(demand("/HEALTH") == nil)
        #expect(demand("/notes/stats") == (try GatewayStage.token("stats")))
        #expect(demand("/notes/STATS") == (try GatewayStage.token("stats read")))
        // No rule has these capitals: what the API takes them for is one path.
        #expect(demand("/NOTES/stats") == (try GatewayStage.token("stats")))
        let both = GuardRequirement(
            scope: try Scope(["pay"]),
            contexts: ["hwk"],
            maximumAge: .seconds(60),
            allowsUnboundTokens: false
        )
        #expect(demand("/pay/NOW") == .token(both))
        #expect(demand("/Odd") == nil)
        api.rules.append(try GatewayRule(path: PathPattern("/**"), demand: GatewayStage.token("rest")))
        #expect(demand("/HEALTH") == (try GatewayStage.token("rest")))
        api.isCaseSensitive = true
        #expect(demand("/notes/STATS") == (try GatewayStage.token("read")))
        #expect(demand("/NOTES/stats") == (try GatewayStage.token("rest")))
    }

    @Test func `attack: capitals in another segment do not lead around the rule for the name as sent`() throws {
        let api = try api([
            GatewayRule(path: PathPattern("/files/public"), demand: GatewayStage.token("low")),
            GatewayRule(path: PathPattern("/files/*"), methods: ["GET"], demand: GatewayStage.token("high")),
            GatewayRule(path: PathPattern("/files/**"), demand: GatewayStage.token("write")),
            GatewayRule(path: PathPattern("/teams/open/files/all"), demand: GatewayStage.token("all")),
            GatewayRule(path: PathPattern("/teams/*/files/all"), demand: GatewayStage.token("team")),
            GatewayRule(path: PathPattern("/teams/open/files/*"), demand: GatewayStage.token("file")),
        ])
        func demand(_ method: String, _ path: String) -> GatewayRule.Demand? {
            PlainPath(path).flatMap { api.rule(for: method, $0)?.demand }
        }
        #expect(demand("GET", "/files/public") == (try GatewayStage.token("low")))
        #expect(demand("GET", "/files/PUBLIC") == (try GatewayStage.token("low high")))
        #expect(demand("GET", "/FILES/PUBLIC") == (try GatewayStage.token("low high")))
        #expect(demand("POST", "/FILES/PUBLIC") == (try GatewayStage.token("low write")))
        // Wherever the API takes the third rule, it takes one before it.
        #expect(demand("GET", "/FILES/public") == (try GatewayStage.token("low")))
        #expect(demand("GET", "/FILES/x") == (try GatewayStage.token("high")))
        #expect(demand("GET", "/TEAMS/OPEN/files/ALL") == (try GatewayStage.token("all team file")))
        #expect(demand("GET", "/teams/OPEN/files/all") == (try GatewayStage.token("all team")))
        #expect(demand("GET", "/TEAMS/open/files/all") == (try GatewayStage.token("all")))
    }

    @Test func `attack: other capitals must meet the claims and lists of scopes of both rules`() throws {
        let first = GuardRequirement(
            anyScope: try Scope(["a", "b"]),
            claims: [try ClaimRequirement("groups", oneOf: ["admin"])]
        )
        let second = GuardRequirement(
            scope: try Scope(["c"]),
            anyScope: try Scope(["b", "d"]),
            claims: [
                try ClaimRequirement("groups", oneOf: ["admin", "staff"]),
                try ClaimRequirement("/tenant/name", oneOf: ["acme"]),
            ]
        )
        let api = try api([
            GatewayRule(path: PathPattern("/files/public"), demand: .token(first)),
            GatewayRule(path: PathPattern("/files/*"), demand: .token(second)),
        ])
        let path = try #require(PlainPath("/files/PUBLIC"))
        guard case .token(let both)? = api.rule(for: "GET", path)?.demand else {
            Issue.record("no rule")
            return
        }
        #expect(both.scope.tokens == ["c"] && both.anyScopes.map(\.tokens) == [["a", "b"], ["b", "d"]])
        // Whoever is an admin is an admin or of the staff.
        #expect(both.claims.map(\.description) == ["groups = admin", "/tenant/name = acme"])
        #expect(both.includes(first) && both.includes(second))
        #expect(!first.includes(second) && !second.includes(first))
        // All of a scope includes one of several.
        let either = GuardRequirement(anyScope: try Scope(["b", "d"]))
        let (with, without) = (try Scope(["d", "e"]), try Scope(["e"]))
        #expect(GuardRequirement(scope: with).includes(either) && !GuardRequirement(scope: without).includes(either))
    }

    @Test func `rules that never apply are found`() throws {
        let api = try api([
            GatewayRule(path: PathPattern("/notes/**"), methods: ["GET", "POST"], demand: GatewayStage.token("a")),
            GatewayRule(path: PathPattern("/notes/*"), methods: ["HEAD"], demand: GatewayStage.token("b")),
            // Requests for this path must meet both rules.
            GatewayRule(path: PathPattern("/Notes/*"), methods: ["HEAD"], demand: GatewayStage.token("b")),
            GatewayRule(path: PathPattern("/notes/1"), methods: ["PUT"], demand: GatewayStage.token("c")),
            GatewayRule(path: PathPattern("/open/**"), demand: .nothing),
            GatewayRule(path: PathPattern("/OPEN/x"), demand: GatewayStage.token("d")),
        ])
        #expect(
            api.findings() == [
                "the rule for /notes/* never applies: the one for /notes/** comes before it",
                "everybody may use all paths of /open/**",
            ]
        )
    }

    @Test func `attack: wider rules that let the other endings of a path pass with less are found`() throws {
        let strict = GuardRequirement(scope: try Scope(["admin"]), contexts: ["mfa"], maximumAge: .seconds(60))
        let api = try api([
            GatewayRule(path: PathPattern("/admin"), demand: .token(strict)),
            GatewayRule(path: PathPattern("/payments/**"), demand: GatewayStage.token("pay")),
            GatewayRule(path: PathPattern("/notes/stats/"), methods: ["GET"], demand: GatewayStage.token("stats")),
            GatewayRule(path: PathPattern("/notes/*"), methods: ["POST"], demand: .nothing),
            GatewayRule(path: PathPattern("/notes/*"), demand: GatewayStage.token("notes stats")),
            GatewayRule(path: PathPattern("/*/rows"), demand: GatewayStage.token("rows")),
            GatewayRule(path: PathPattern("/open"), demand: .nothing),
            GatewayRule(path: PathPattern("/**"), demand: GatewayStage.token("admin pay")),
        ])
        #expect(
            api.findings() == [
                "/admin.json matches the rule for /**, which demands less than the one for /admin",
                "/*/rows.json matches the rule for /**, which demands less than the one for /*/rows",
            ]
        )
        let stricter = GuardRequirement(
            scope: try Scope(["admin", "rows", "pay"]),
            contexts: ["mfa"],
            maximumAge: .seconds(30)
        )
        var mended = api
        mended.rules[7].demand = .token(stricter)
        #expect(mended.findings() == [])
    }

    @Test func `a wider rule for some methods does not hide the next one`() throws {
        var api = try api([
            GatewayRule(path: PathPattern("/admin"), demand: GatewayStage.token("admin")),
            GatewayRule(path: PathPattern("/*"), methods: ["POST"], demand: GatewayStage.token("admin write")),
            GatewayRule(path: PathPattern("/**"), demand: GatewayStage.token("read")),
        ])
        #expect(
            api.findings() == ["/admin.json matches the rule for /**, which demands less than the one for /admin"]
        )
        // For these methods the second rule leaves nothing to the third.
        api.rules[0].methods = ["POST"]
        #expect(api.findings() == [])
    }

    /// The two lists of docs/gateway.md.
    @Test func `the documented rules agree with what is found`() throws {
        let weak = try api([
            GatewayRule(path: PathPattern("/admin/**"), demand: GatewayStage.token("admin")),
            GatewayRule(path: PathPattern("/**"), demand: GatewayStage.token("")),
        ])
        #expect(
            weak.findings() == ["/admin.json matches the rule for /**, which demands less than the one for /admin/**"]
        )
        let strong = try api([
            GatewayRule(path: PathPattern("/notes/**"), demand: GatewayStage.token("notes:read")),
            GatewayRule(path: PathPattern("/**"), demand: GatewayStage.token("notes:read admin")),
        ])
        #expect(strong.findings() == [])
    }

    private func api(_ rules: [GatewayRule]) throws -> ProtectedAPI {
        let address = try URI(parsing: GatewayStage.address)
        let requestGuard = try RequestGuard(
            configuration: GuardConfiguration(issuer: GatewayStage.issuer, address: address),
            keys: NoKeys()
        )
        return ProtectedAPI(address: address, requestGuard: requestGuard, rules: rules)
    }
}
