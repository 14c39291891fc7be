// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("Which claims users may have")
struct ClaimRuleTests {
    private static func configuration(
        _ claims: [ScopeClaims],
        ofAPI taken: [String] = []
    ) throws -> ServerConfiguration {
        var configuration = ServerConfiguration(
            issuer: try URI(parsing: ServerUnderTest.issuer),
            audience: ServerUnderTest.audience,
            scopes: [ScopeDescription(name: "groups"), ScopeDescription(name: "email")]
        )
        configuration.claims = claims
        configuration.resources = [ProtectedResource(address: ServerUnderTest.audience, claims: taken)]
        return configuration
    }

    /// Validates a configuration that must be rejected.
    private static func error(_ configuration: ServerConfiguration) -> AuthorizationServerError? {
        let error = #expect(throws: AuthorizationServerError.self) { try configuration.validate() }
        return error
    }

    @Test(arguments: [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "c_hash",
        "s_hash", "sid", "cnf", "client_id", "scope", "authorization_details", "act", "may_act", "preferred_username",
        "grant_id", "active", "username", "token_type", "events", "_claim_names", "_claim_sources",
        "typ", "cid", "scp",
    ])
    func `a claim that the server sets is an error of the configuration`(_ name: String) throws {
        let configuration = try Self.configuration([ScopeClaims(scope: "groups", names: ["groups", name])])
        let error = Self.error(configuration)
        #expect(error?.setting == "claims")
        #expect(error?.reason.contains("'\(name)'") == true)
    }

    @Test func `every claim in what the server sends is one of these`() async throws {
        let claims = try await ClaimsServer()
        let tokens = try await claims.signIn(
            "openid profile email groups files:read vault:open",
            [ClaimsServer.files, ClaimsServer.vault]
        )
        let token = try tokens.string("access_token")
        let exchanged = try await ExchangeClient(claims.server).exchange(token)
        let introspected = await (try ConfidentialClient(claims.server, "backend")).introspect(token).json
        let objects = [
            try await claims.idToken(tokens), try tokens.accessTokenClaims(), try exchanged.accessTokenClaims(),
            introspected,
        ]
        // This access token is a JWT.
        #expect(introspected["active"] == true && introspected["groups"] == ["admin", "staff"])
        let configured = ["email", "email_verified", "groups", "roles"]
        for name in objects.flatMap({ $0.members.map(\.name) }) where !configured.contains(name) {
            #expect(UserClaims.problem(ofName: name) != nil, "\(name)")
        }
    }

    @Test func `names have an alphabet and a length`() throws {
        let longest = String(repeating: "x", count: 64)
        for name in ["groups", "https://example.com/roles#1", "realm_access.roles", "a", longest] {
            try Self.configuration([ScopeClaims(scope: "groups", names: [name])]).validate()
        }
        for name in ["", longest + "x", "a b", "a\"b", "a\\b", "r\u{F4}le", "a,b", "a\u{0}", "\u{212A}"] {
            let configuration = try Self.configuration([ScopeClaims(scope: "groups", names: [name])])
            #expect(Self.error(configuration)?.setting == "claims", "\(name)")
        }
    }

    @Test func `there are at most 32 names`() throws {
        let names = (1...32).map { "claim-\($0)" }
        // A name that two scopes release counts once.
        let most = [ScopeClaims(scope: "groups", names: names), ScopeClaims(scope: "email", names: ["claim-1"])]
        try Self.configuration(most).validate()
        let more = [ScopeClaims(scope: "groups", names: names), ScopeClaims(scope: "email", names: ["email"])]
        #expect(Self.error(try Self.configuration(more))?.reason.contains("32") == true)
    }

    @Test func `scopes exist, once each and with names, and APIs take what a scope releases`() throws {
        let groups = ScopeClaims(scope: "groups", names: ["groups"])
        let unknown = Self.error(try Self.configuration([ScopeClaims(scope: "teams", names: ["groups"])]))
        #expect(unknown?.reason.contains("'teams'") == true)
        let plus = Self.error(try Self.configuration([ScopeClaims(scope: "a+b", names: ["groups"])]))
        #expect(plus?.reason.contains("'a+b'") == true)
        let control = Self.error(try Self.configuration([ScopeClaims(scope: "a\u{1B}[2J", names: ["groups"])]))
        #expect(control?.reason.contains("a scope does not exist") == true)
        #expect(Self.error(try Self.configuration([groups, groups]))?.setting == "claims")
        #expect(Self.error(try Self.configuration([ScopeClaims(scope: "groups", names: [])]))?.setting == "claims")
        let taken = Self.error(try Self.configuration([groups], ofAPI: ["groups", "roles"]))
        #expect(taken?.setting == "resources" && taken?.reason.contains("'roles'") == true)
        try Self.configuration([groups], ofAPI: ["groups"]).validate()
    }

    @Test func `values are what consumers of tokens expect, and not more than 2048 bytes`() {
        let good: [JSONValue] = [
            "x", 1, true, [], ["a", 1, false], ["locality": "London", "lines": ["a", "b"]], .object(JSONObject()),
        ]
        for value in good { #expect(UserClaims.problem(of: ["a": value]) == nil, "\(value)") }
        let bad: [JSONValue] = [.null, [.null], [["a"]], [["a": "b"]], ["a": .null], ["a": ["b": "c"]], ["a": [["b"]]]]
        for value in bad { #expect(UserClaims.problem(of: ["a": value])?.contains("'a'") == true, "\(value)") }
        // {"a":"..."} has eight bytes more than the text.
        let text = String(repeating: "x", count: 2040)
        #expect(UserClaims.problem(of: ["a": .string(text)]) == nil)
        #expect(UserClaims.problem(of: ["a": .string(text + "x")])?.contains("2048 bytes") == true)
    }

    // MARK: By an operator

    @Test func `an operator sets and removes claims of one user, and the audit says which`() async throws {
        let (server, events) = (try await ClaimsServer().server, RecordedEvents())
        let administration = ServerAdministration(storage: server.storage, audit: events)
        let changed = try await administration.changeClaims(
            of: "Ada",
            setting: ["groups": ["owners"], "level": 3],
            removing: ["roles", "badge", "missing"]
        )
        #expect(
            changed == ["email": "ada@example.com", "email_verified": true, "groups": ["owners"], "level": 3]
        )
        #expect(try await server.storage.user(named: "ada")?.claims == changed)
        #expect(try await server.storage.user(named: "bob")?.claims["groups"] == ["interns"])
        let event = try #require(events.all.last)
        #expect(event.kind == .userClaimsChanged && event.subject == "subject-of-ada")
        #expect(event.detail == "groups level roles badge")
    }

    @Test func `the audit says nothing if nothing changes`() async throws {
        let (server, events) = (try await ClaimsServer().server, RecordedEvents())
        let administration = ServerAdministration(storage: server.storage, audit: events)
        let same = try await administration.changeClaims(
            of: "ada",
            setting: ["groups": ["admin", "staff"]],
            removing: ["group", "sub"]
        )
        #expect(same == ClaimsServer.adas)
        #expect(events.all.isEmpty)
    }

    @Test func `the name of a claim to remove has the form of names`() async throws {
        let (server, events) = (try await ClaimsServer().server, RecordedEvents())
        let administration = ServerAdministration(storage: server.storage, audit: events)
        for name in ["", "a b", "groups\n", String(repeating: "x", count: 65)] {
            let error = await #expect(throws: AuthorizationServerError.self) {
                try await administration.changeClaims(of: "ada", setting: JSONObject(), removing: ["badge", name])
            }
            #expect(error?.code == .invalidValue, "\(name)")
        }
        #expect(try await server.storage.user(named: "ada")?.claims == ClaimsServer.adas)
        #expect(events.all.isEmpty)
    }

    @Test func `an operator cannot set what the server says, or too much, or for nobody`() async throws {
        let storage = try await ClaimsServer().server.storage
        let administration = ServerAdministration(storage: storage)
        let long = JSONValue.string(String(repeating: "x", count: 2000))
        let bad: [(String, JSONObject, AuthorizationServerError.Code)] = [
            ("ada", ["sub": "subject-of-bob"], .invalidValue), ("ada", ["a b": "c"], .invalidValue),
            ("ada", ["level": .null], .invalidValue), ("ada", ["note": long], .invalidValue),
            ("nobody", ["level": 1], .notFound),
        ]
        for (name, values, code) in bad {
            let error = await #expect(throws: AuthorizationServerError.self) {
                try await administration.changeClaims(of: name, setting: values)
            }
            #expect(error?.code == code, "\(name) \(values.members.map(\.name))")
        }
        #expect(try await storage.user(named: "ada")?.claims == ClaimsServer.adas)
    }

    @Test func `operators who change claims at the same time lose nothing`() async throws {
        let storage = try await ClaimsServer().server.storage
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...4 {
                group.addTask {
                    let administration = ServerAdministration(storage: storage)
                    try await administration.changeClaims(of: "bob", setting: ["claim-\(number)": true])
                }
            }
            try await group.waitForAll()
        }
        let names = try #require(try await storage.user(named: "bob")).claims.members.map(\.name)
        #expect(Set(names) == ["email", "groups", "claim-1", "claim-2", "claim-3", "claim-4"])
    }
}
