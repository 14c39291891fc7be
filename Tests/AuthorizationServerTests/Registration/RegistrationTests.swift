// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import OAuthCore
import ServerStorage
import TestSupport
import Testing

@Suite("Registration of clients and people")
struct RegistrationTests {
    private let storage = MemoryAuthorizationStorage()
    private let administration: ServerAdministration

    init() {
        administration = ServerAdministration(storage: storage, clock: FixedClock(), entropy: SeededEntropy())
    }

    private func expectRefusal(
        _ client: RegisteredClient,
        _ code: AuthorizationServerError.Code = .invalidValue,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: AuthorizationServerError.self, sourceLocation: sourceLocation) {
            try await administration.addClient(client)
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "https://app.example.com/callback", "https://app.example.com", "https://app.example.com:8443/cb?tenant=1",
        "http://127.0.0.1/callback", "http://127.0.0.1:8080/", "http://[::1]/callback", "com.example.app:/callback",
        "com.example.app://callback",
    ])
    func `accepts what RFC 8252 section 7 allows`(redirectURI: String) async throws {
        try await administration.addClient(try ServerUnderTest.client("c", redirectURIs: [redirectURI]))
    }

    @Test(arguments: [
        // attack 27, redirect_http_nonloopback
        "http://app.example.com/callback", "http://10.0.0.1/callback", "http://[::2]/callback",
        // attack 28, loopback_localhost_vs_127
        "http://localhost/callback", "http://localhost:8080/callback", "http://127.0.0.1.example/", "http://0.0.0.0/",
        // attack 29, custom_scheme_without_dot
        "myapp:/callback", "urn:ietf:wg:oauth:2.0:oob", "HTTPS://app.example.com/callback",
        // attack 30, javascript_data_scheme_redirect
        "javascript:alert(1)", "data:text/html,x", "file:///callback", "vbscript:x", "blob:https://app.example.com/x",
        // attacks 25 and 26
        "https://user@app.example.com/", "https://app.example.com@evil.example/", "https://app.example.com/#",
        "https://a.example/#x",
        "http://user@127.0.0.1/",
        // and what is no URI
        "", "/callback", "app.example.com", "https://", "https:///callback", "https://app.example.com/a b",
        "https://app.example.com\\callback", "https://app.example.com/%zz", "https://b\u{FC}cher.example/",
        "https://a.example/\n",
    ])
    func `refuses every other redirect URI`(redirectURI: String) async throws {
        await expectRefusal(try ServerUnderTest.client("c", redirectURIs: [redirectURI]))
        let good = "https://app.example.com/callback"
        await expectRefusal(try ServerUnderTest.client("c", redirectURIs: [good, redirectURI]))
    }

    @Test(arguments: [
        ("https://app.example.com/cb", true, true), ("https://localhost/cb", false, true),
        ("http://127.0.0.1/cb", false, true), ("http://localhost/cb", false, true),
        ("http://localhost:8080/cb", false, true), ("com.example.app:/cb", false, true),
        ("http://localhost./cb", false, false), ("http://app.localhost/cb", false, false),
        ("http://LOCALHOST/cb", false, false), ("http://app.example.com/cb", false, false),
        ("http://user@localhost/cb", false, false), ("app:/cb", false, false),
    ])
    func `an application type has redirect URIs of its own`(uri: String, isOfWeb: Bool, isOfNative: Bool) async throws {
        for (type, isAllowed) in [(ApplicationType.web, isOfWeb), (.native, isOfNative)] {
            var client = try ServerUnderTest.client(type.rawValue, redirectURIs: [uri])
            client.applicationType = type
            if isAllowed { try await administration.addClient(client) } else { await expectRefusal(client) }
        }
    }

    @Test func `a change is checked like a new client, and is written once`() async throws {
        let client = try ServerUnderTest.client("c", redirectURIs: ["https://app.example.com/callback"])
        try await administration.addClient(client)
        let change = try await administration.changeClient("c") { $0.scope = .empty }
        #expect(change.changed == ["scope"] && change.before.scope == client.scope)
        #expect(storage.client("c")?.scope == .empty)
        let dry = try await administration.changeClient("c", dryRun: true) { $0.name = "New" }
        #expect(dry.changed == ["client_name"])
        #expect(storage.client("c")?.name == client.name)
        for uri in ["http://evil.example/", "javascript:alert(1)"] {
            await #expect(throws: AuthorizationServerError.self) {
                try await administration.changeClient("c") { $0.redirectURIs = [uri] }
            }
        }
        await #expect(throws: AuthorizationServerError.self) { try await administration.changeClient("other") { _ in } }
        // Somebody else changes it between reading and writing: nothing is lost.
        var isFirst = true
        _ = try await administration.changeClient("c") { client in
            if isFirst {
                isFirst = false
                var other = client
                other.name = "By somebody else"
                #expect(storage.replace(other, by: WriteAttempt(id: 7)))
            }
            client.redirectURIs.append("https://new.example.com/callback")
        }
        let stored = storage.client("c")
        #expect(stored?.name == "By somebody else" && stored?.redirectURIs.count == 2)
    }

    @Test func `what the registration decided for good is never changed, and never left out in silence`() async throws {
        let client = try ServerUnderTest.client("c", redirectURIs: ["https://app.example.com/callback"])
        try await administration.addClient(client)
        let before = storage.client("c")
        let changes: [(String, @Sendable (inout RegisteredClient) -> Void)] = [
            ("grant_types of", { $0.grantTypes.append(.deviceCode) }),
            (
                "grant_types, token_endpoint_auth_method of",
                { client in
                    (client.grantTypes, client.tokenEndpointAuthMethod) = ([.clientCredentials], .privateKeyJWT)
                }
            ),
            ("token_endpoint_auth_signing_alg of", { $0.tokenEndpointAuthSigningAlgorithm = .es256 }),
            ("introspection_audiences of", { $0.introspectionAudiences = ["https://api.example"] }),
            ("token_exchange_rights of", { $0.tokenExchangeRights = TokenExchangePolicy.all }),
            ("client_id of", { $0.clientID = "d" }),
            ("such as its secrets", { $0.secretHashes = [SecretHash(of: "secret")] }),
            ("such as its secrets", { $0.origin = .registeredItself }),
        ]
        for (part, change) in changes {
            for (dryRun, name) in [(false, client.name), (false, "New"), (true, client.name)] {
                let error = await #expect(throws: AuthorizationServerError.self) {
                    try await administration.changeClient("c", dryRun: dryRun) { client in
                        client.name = name
                        change(&client)
                    }
                }
                #expect(error?.code == .invalidValue)
                #expect(error?.reason.contains(part) == true, "\(part): \(error?.reason ?? "-")")
            }
        }
        #expect(storage.client("c") == before)
    }

    @Test func `what a client has had since an earlier version does not keep it from being changed`() async throws {
        var client = try ServerUnderTest.client("service", redirectURIs: [])
        client.grantTypes = [.clientCredentials, .refreshToken]
        client.tokenEndpointAuthMethod = .clientSecretBasic
        client.secretHashes = [SecretHash(of: "secret")]
        await expectRefusal(client)
        #expect(storage.add(client))
        let change = try await administration.changeClient("service") { $0.name = "Billing" }
        #expect(change.changed == ["client_name"])
    }

    @Test(arguments: ["", " ", "a b", "b\u{FC}cher", "a\u{7F}", "a\n", String(repeating: "a", count: 129)])
    func `refuses a client_id that is not visible ASCII`(clientID: String) async throws {
        await expectRefusal(try ServerUnderTest.client(clientID, redirectURIs: ["https://app.example.com/"]))
    }

    @Test func `refuses a client without a redirect URI, and one that exists`() async throws {
        await expectRefusal(try ServerUnderTest.client("c", redirectURIs: []))
        let client = try ServerUnderTest.client("c", redirectURIs: ["https://app.example.com/"])
        try await administration.addClient(client)
        var another = client
        another.registrationID = nil
        await expectRefusal(another, .alreadyExists)
    }

    @Test(arguments: [
        ("", "long enough"), ("  ", "long enough"), ("a\u{0}b", "long enough"), ("a\nb", "long enough"),
        (String(repeating: "a", count: 129), "long enough"), (String(repeating: "\u{4E00}", count: 128), "long enough"),
        ("ada", "1234567"), ("ada", String(repeating: "a", count: 1025)),
    ])
    func `refuses a name or password that nobody could type`(username: String, password: String) async throws {
        let error = await #expect(throws: AuthorizationServerError.self) {
            try await administration.addUser(username: username, password: password)
        }
        #expect(error?.code == .invalidValue)
    }

    @Test func `a person is registered once, whatever the capitals`() async throws {
        let user = try await administration.addUser(username: " Ada ", password: "long enough")
        #expect(user.username == "ada")
        #expect(user.subject.utf8.count == 22)
        #expect(!"\(user)".contains("$scrypt$"))
        let error = await #expect(throws: AuthorizationServerError.self) {
            try await administration.addUser(username: "ADA", password: "long enough")
        }
        #expect(error?.code == .alreadyExists)
    }
}

@Suite("Configuration of a server")
struct ServerConfigurationTests {
    private func isValid(
        issuer: String = ServerUnderTest.issuer,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> Bool {
        var configuration = ServerConfiguration(
            issuer: try URI(parsing: issuer),
            audience: ServerUnderTest.audience,
            scopes: [ScopeDescription(name: "api")]
        )
        change(&configuration)
        do {
            try configuration.validate()
            return true
        } catch {
            #expect(error.code == .invalidConfiguration)
            return false
        }
    }

    @Test(arguments: ["https://auth.example.com", "https://auth.example.com:8443", "https://example.com/tenant"])
    func `accepts an https issuer`(issuer: String) throws {
        #expect(try isValid(issuer: issuer))
    }

    @Test(arguments: [
        "http://auth.example.com", "http://127.0.0.1:8080", "https://auth.example.com/", "https://auth.example.com?x",
        "https://auth.example.com#x", "https://user@auth.example.com", "https://example.com/tenant/", "urn:issuer",
        "ftp://a",
    ])
    func `refuses every other issuer`(issuer: String) throws {
        #expect(try !isValid(issuer: issuer))
    }

    @Test func `accepts http on a loopback address when that is spelled out, and nowhere else`() throws {
        #expect(try isValid(issuer: "http://127.0.0.1:8080") { $0.allowsInsecureLoopbackIssuer = true })
        #expect(try !isValid(issuer: "http://localhost:8080") { $0.allowsInsecureLoopbackIssuer = true })
        #expect(try !isValid(issuer: "http://auth.example.com") { $0.allowsInsecureLoopbackIssuer = true })
    }

    @Test func `refuses lifetimes that are too long or too short, scopes and audiences that are none`() throws {
        #expect(try !isValid { $0.lifetimes.authorizationCode = .seconds(61) })
        #expect(try !isValid { $0.lifetimes.authorizationRequest = .seconds(600) })
        #expect(try !isValid { $0.lifetimes.accessToken = .zero })
        #expect(try !isValid { $0.lifetimes.refreshGrace = .seconds(-1) })
        #expect(try !isValid { $0.lifetimes.grant = .seconds(-1) })
        #expect(try !isValid { $0.lifetimes.grant = .seconds(299) }, "shorter than an access token is valid")
        #expect(try isValid { $0.lifetimes.grant = .seconds(300) })
        #expect(try !isValid { $0.scopes = [ScopeDescription(name: "two words")] })
        #expect(try !isValid { $0.scopes = [ScopeDescription(name: "")] })
        #expect(try !isValid { $0.audience = "api" })
        #expect(try !isValid { $0.audience = "" })
    }

    @Test func `an insecure issuer has a cookie without the prefix and pages without HSTS`() async throws {
        let server = try await ServerUnderTest.inMemory { configuration in
            configuration.issuer = (try? URI(parsing: "http://127.0.0.1:8080")) ?? configuration.issuer
            configuration.allowsInsecureLoopbackIssuer = true
        }
        let page = await server.get(try FakeClient(server).directTarget(try FakeClient(server).attempt()))
        let cookie = try #require(page.fields["Set-Cookie"])
        #expect(cookie.hasPrefix("keybound-insecure=") && cookie.contains("; HttpOnly; SameSite=Lax"))
        #expect(!cookie.contains("Secure"))
        #expect(page.fields["Strict-Transport-Security"] == nil)
    }
}
