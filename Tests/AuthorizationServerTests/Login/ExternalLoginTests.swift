// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import JOSE
import OAuthSystem
import ServerStorage
import StrictJSON
import TestSupport
import Testing

@Suite("A login system that decides in place of the pages")
struct ExternalLoginTests {
    private static let loginURL = "https://login.example.com/start?from=keybound"
    private static let gold = "urn:example:gold"
    /// How many entries each pool of the storage holds.
    private static let capacity = 20

    let server: ServerUnderTest
    private let client: FakeClient
    private let key: SoftwareSigningKey

    init() async throws {
        let key = try TestKey.p256(7)
        let storage = MemoryAuthorizationStorage(replayCapacity: Self.capacity)
        server = try await .inMemory(storage: storage) { configuration in
            guard let loginURL = try? URI(parsing: Self.loginURL) else { return }
            configuration.loginSystem = LoginProvider(
                loginURL: loginURL,
                keys: JWKSet([key.publicKey]),
                contexts: ["urn:example:silver", Self.gold]
            )
            configuration.rateLimits.login = RateLimit(3, per: .seconds(600))
            configuration.scopes.append(ScopeDescription(name: "groups"))
            configuration.claims = [ScopeClaims(scope: "groups", names: ["groups", "email"])]
        }
        client = try FakeClient(server)
        self.key = key
    }

    // MARK: A login system in a few lines

    /// The question that the browser carries, checked as a login system does.
    private func question(_ answer: HTTPResponse) async throws -> JWTClaims {
        #expect(answer.status == 303 && answer.fields["Referrer-Policy"] == "no-referrer")
        let location = try #require(answer.fields["Location"])
        #expect(location.hasPrefix(Self.loginURL + "&login_challenge="))
        let parameters = try FormParameters(decoding: try URI(parsing: location).query ?? "")
        let validation = JWTValidation(
            type: "login-challenge+jwt",
            issuer: ServerUnderTest.issuer,
            audience: Self.loginURL
        )
        let keys = try JWKSet(parsing: await server.get("/jwks").json)
        return try validation.validate(try #require(parameters["login_challenge"]), with: keys, at: server.clock.now())
    }

    func response(
        to question: JWTClaims,
        signedBy signer: SoftwareSigningKey? = nil,
        type: String = "login-response+jwt",
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> String {
        let now = server.clock.now().secondsSince1970
        var claims: JSONObject = [
            "iss": .string(Self.loginURL), "aud": .string(ServerUnderTest.issuer),
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 60)),
            "jti": .string(Base64URL.encode(server.entropy.bytes(16))),
            "login_challenge": .string(try #require(question.tokenID)),
            "sub": "employee-17", "name": "Grace Hopper", "auth_time": .number(JSONNumber(now - 5)),
            "acr": .string(Self.gold), "amr": ["hwk", "pin"],
        ]
        change(&claims)
        let header: JSONObject = ["typ": .string(type)]
        return try await CompactJWS.sign(
            header: header,
            payload: JSONValue.object(claims).encoded(),
            with: signer ?? key
        )
    }

    func come(back response: String, in browser: FakeBrowser) async -> HTTPResponse {
        let parameters: FormParameters = ["login_response": response]
        return await browser.get("/login/answer?" + parameters.encoded())
    }

    func begin(
        _ browser: FakeBrowser,
        _ more: FormParameters = [:]
    ) async throws -> (attempt: FakeClient.Attempt, question: JWTClaims) {
        var attempt = client.attempt()
        for parameter in more.all { attempt.parameters = attempt.parameters.with(parameter.name, parameter.value) }
        return (attempt, try await question(await browser.get(try await client.pushedTarget(attempt))))
    }

    func expectRefused(_ response: HTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        expect(response, isErrorPageWith: "access_denied", status: 403, sourceLocation: sourceLocation)
        #expect(response.fields["Set-Cookie"] == nil, sourceLocation: sourceLocation)
    }

    // MARK: What it is for

    @Test func `the person comes back signed in, and the tokens say how the system says`() async throws {
        let browser = FakeBrowser(server)
        let (attempt, question) = try await begin(browser, ["acr_values": Self.gold, "login_hint": "grace"])
        #expect(question.string("client_name") == "Example App" && question.string("scope") == "api:read")
        #expect(question.string("acr_values") == Self.gold && question.string("login_hint") == "grace")
        #expect(question.string("answer_uri") == ServerUnderTest.issuer + "/login/answer")
        let back = await come(back: try await response(to: question), in: browser)
        let consent = try await browser.follow(back)
        #expect(consent.text.contains("grace hopper") || consent.text.contains("Grace Hopper"))
        #expect(consent.fields["Content-Security-Policy"]?.contains(" https://login.example.com;") == true)
        let code = try #require(try await browser.decide("allow", on: consent).callback()["code"])
        let token = try await client.redeem(code, attempt).string("access_token")
        let claims = try CompactJWS(parsing: token).payloadObject()
        #expect(claims["sub"] == "employee-17" && claims["acr"]?.stringValue == Self.gold)
        #expect(claims["amr"]?.arrayValue == ["hwk", "pin"])
        #expect(claims["auth_time"]?.integerValue == server.clock.now().secondsSince1970 - 5)
        // The session goes on: the next request needs no login.
        let next = await browser.get(try await client.pushedTarget(client.attempt()))
        #expect(next.status == 200)
    }

    @Test func `with a scope the system has asked for consent too, for that much or less`() async throws {
        let browser = FakeBrowser(server)
        let (attempt, question) = try await begin(browser, ["scope": "api:read api:write"])
        let answer = try await response(to: question) { $0["scope"] = "api:write" }
        let callback = try await come(back: answer, in: browser).callback()
        #expect(callback["state"] == attempt.state)
        let tokens = try await client.redeem(try #require(callback["code"]), attempt)
        #expect(try tokens.string("scope") == "api:write")
        let other = try await begin(browser, ["scope": "api:read", "prompt": "login"]).question
        expectRefused(
            await come(back: try await response(to: other) { $0["scope"] = "api:read api:write" }, in: browser)
        )
    }

    @Test(arguments: ["access_denied", "login_required", "unmet_authentication_requirements"])
    func `a refusal reaches the client, once`(_ error: String) async throws {
        let browser = FakeBrowser(server)
        let (attempt, question) = try await begin(browser)
        let answer = try await response(to: question) { $0["error"] = .string(error) }
        let callback = try await come(back: answer, in: browser).callback()
        #expect(callback["error"] == error && callback["state"] == attempt.state && callback["code"] == nil)
        expect(await come(back: answer, in: browser), isErrorPageWith: "invalid_request_uri")
    }

    @Test func `an answer that is posted is taken up with the cookie`() async throws {
        let browser = FakeBrowser(server)
        let question = try await begin(browser).question
        let form: FormParameters = ["login_response": try await response(to: question)]
        let posted = await server.post("/login/answer", form, fields: ["Origin": "https://login.example.com"])
        let back = try await browser.follow(posted)
        #expect(try await browser.follow(back).status == 200)
    }

    @Test func `no password is taken beside it, and prompt=none hands nothing over`() async throws {
        let form: FormParameters = ["username": "ada", "password": ServerUnderTest.password]
        #expect(await server.post("/login", form).status == 404)
        var attempt = client.attempt()
        attempt.parameters.append("prompt", "none")
        let answer = await FakeBrowser(server).get(try await client.pushedTarget(attempt))
        #expect(try answer.callback()["error"] == "login_required")
        // Without a login system there is no such address.
        let plain = try await ServerUnderTest.inMemory()
        #expect(await plain.get("/login/answer?login_response=x").status == 404)
    }

    // MARK: Attacks

    @Test func `clients that fill the memory for their assertions keep nobody from signing in`() async throws {
        let (now, owner) = (server.clock.now(), try TestKey.p256(2).publicKey.thumbprint)
        for pool in [SingleUseEntry.Pool.assertions, .assertionsOfUnregisteredClients] {
            for number in 0...Self.capacity {
                var recording = Recording(WriteAttempt(entropy: server.entropy))
                let key = ReplayKey(owner: owner, jti: "\(pool) \(number)")
                recording.assertion = SingleUseEntry(key: key, end: now + .seconds(600), pool: pool)
                let recorded = try await server.storage.record(recording, at: now)
                let isFull = if case .full = recorded { true } else { false }
                #expect(isFull == (number == Self.capacity))
            }
        }
        let browser = FakeBrowser(server)
        let question = try await begin(browser).question
        #expect(await come(back: try await response(to: question), in: browser).status == 303)
    }

    @Test func `the answer to the question of another browser, or of another request, is rejected`() async throws {
        let (victim, attacker) = (FakeBrowser(server), FakeBrowser(server))
        let attackers = try await begin(attacker).question
        let victims = try await begin(victim).question
        expectRefused(await come(back: try await response(to: attackers), in: victim))
        expectRefused(await come(back: try await response(to: attackers), in: FakeBrowser(server)))
        let handle = try #require(victims.tokenID).split(separator: ".")[0]
        let tag = try #require(attackers.tokenID).split(separator: ".")[1]
        for mixed in ["\(handle).\(tag)", "\(handle)", "\(handle).", ".", ""] {
            let answer = try await response(to: victims) { $0["login_challenge"] = .string(mixed) }
            expectRefused(await come(back: answer, in: victim))
        }
        #expect(await come(back: try await response(to: victims), in: victim).status == 303)
    }

    @Test func `an answer works once, also when the cookie is put back`() async throws {
        let browser = FakeBrowser(server)
        let question = try await begin(browser).question
        let answer = try await response(to: question)
        let before = browser.cookies
        #expect(await come(back: answer, in: browser).status == 303)
        expectRefused(await come(back: answer, in: browser))
        browser.cookies = before
        expectRefused(await come(back: answer, in: browser))
        // The same jti in another answer, also after a server whose clock is ahead has deleted what it holds expired: the first
        // answer is valid for 60 seconds, and accepted for 10 more.
        _ = try await server.storage.deleteExpired(at: server.clock.now() + .seconds(71), limit: 1000)
        let second = FakeBrowser(server)
        let other = try await begin(second).question
        let jti = try CompactJWS(parsing: answer).payloadObject()["jti"]
        expectRefused(await come(back: try await response(to: other) { $0["jti"] = jti }, in: second))
    }

    @Test(arguments: [
        "iss", "aud", "aud array", "exp", "exp missing", "exp far", "iat old", "iat missing", "jti missing", "jti long",
        "sub missing", "sub space", "sub long", "auth_time missing", "auth_time future", "acr unknown", "acr number",
        "amr text", "amr empty", "name empty", "name control", "scope number", "error unknown",
    ])
    func `an answer with a wrong claim is rejected, and a right one still works`(_ kind: String) async throws {
        let browser = FakeBrowser(server)
        let question = try await begin(browser).question
        let now = server.clock.now().secondsSince1970
        let wrong = try await response(to: question) { claims in
            switch kind {
            case "iss": claims["iss"] = "https://login.example.com/start"
            case "aud": claims["aud"] = "https://auth.example.com/"
            case "aud array": claims["aud"] = [.string(ServerUnderTest.issuer)]
            case "exp": claims["exp"] = .number(JSONNumber(now - 11))
            case "exp missing": claims["exp"] = nil
            case "exp far": claims["exp"] = .number(JSONNumber(now + 3600))
            case "iat old": claims["iat"] = .number(JSONNumber(now - 3600))
            case "iat missing": claims["iat"] = nil
            case "jti missing": claims["jti"] = nil
            case "jti long": claims["jti"] = .string(String(repeating: "x", count: 257))
            case "sub missing": claims["sub"] = nil
            case "sub space": claims["sub"] = "a b"
            case "sub long": claims["sub"] = .string(String(repeating: "x", count: 256))
            case "auth_time missing": claims["auth_time"] = nil
            case "auth_time future": claims["auth_time"] = .number(JSONNumber(now + 60))
            case "acr unknown": claims["acr"] = "urn:example:platinum"
            case "acr number": claims["acr"] = 3
            case "amr text": claims["amr"] = "pwd"
            case "amr empty": claims["amr"] = []
            case "name empty": claims["name"] = ""
            case "name control": claims["name"] = "a\u{1}b"
            case "scope number": claims["scope"] = 1
            default: claims["error"] = "server_error"
            }
        }
        expectRefused(await come(back: wrong, in: browser))
        #expect(await come(back: try await response(to: question), in: browser).status == 303)
    }

    @Test(arguments: [
        "alg none", "another key", "the server's own key", "another type", "the question", "nonsense", "",
    ])
    func `an answer that the system did not sign is rejected`(_ kind: String) async throws {
        let browser = FakeBrowser(server)
        let target = try await client.pushedTarget(client.attempt())
        let page = await browser.get(target)
        let question = try await question(page)
        let good = try await response(to: question)
        let parts = good.split(separator: ".").map(String.init)
        let forged: String
        switch kind {
        case "alg none":
            forged = Base64URL.encode(Array(#"{"alg":"none","typ":"login-response+jwt"}"#.utf8)) + ".\(parts[1])."
        case "another key": forged = try await response(to: question, signedBy: try TestKey.p256(8))
        case "the server's own key": forged = try await response(to: question, signedBy: try TestKey.p256(1))
        case "another type": forged = try await response(to: question, type: "JWT")
        case "the question": forged = try page.callback()["login_challenge"] ?? ""
        default: forged = kind
        }
        let answer = await come(back: forged, in: browser)
        #expect(answer.status == 403 || answer.status == 400, "\(answer.status)")
        #expect(answer.fields["Set-Cookie"] == nil && answer.fields["Location"] == nil)
        #expect(await come(back: good, in: browser).status == 303)
    }

    @Test(arguments: ["max_age=60", "max_age=0", "prompt=login"])
    func `a login that is older than the request allows is rejected`(_ demand: String) async throws {
        let browser = FakeBrowser(server)
        let pair = demand.split(separator: "=").map(String.init)
        let question = try await begin(browser, [pair[0]: pair[1]]).question
        let start = server.clock.now().secondsSince1970
        server.clock.advance(by: .seconds(30))
        let old = try await response(to: question) { $0["auth_time"] = .number(JSONNumber(start - 71)) }
        expectRefused(await come(back: old, in: browser))
        let new = try await response(to: question) { $0["auth_time"] = .number(JSONNumber(start + 20)) }
        #expect(await come(back: new, in: browser).status == 303)
    }

    @Test func `attack 129, a way to sign in that was not asked for ends with the error for it`() async throws {
        let browser = FakeBrowser(server)
        let question = try await begin(browser, ["acr_values": Self.gold]).question
        let silver = try await response(to: question) { $0["acr"] = "urn:example:silver" }
        let answer = try await browser.follow(await come(back: silver, in: browser))
        #expect(try answer.callback()["error"] == "unmet_authentication_requirements")
        // With consent given by the system there is no code either.
        let again = try await begin(browser, ["acr_values": Self.gold]).question
        let allowed = try await response(to: again) { claims in
            claims["acr"] = nil
            claims["scope"] = "api:read"
        }
        let second = try await browser.follow(await come(back: allowed, in: browser))
        #expect(try second.callback()["error"] == "unmet_authentication_requirements")
    }

    /// RFC 9068 section 5: what acts for itself and who lets it act must not look the same to an API.
    @Test func `a person who is called like a client is not let in`() async throws {
        let browser = FakeBrowser(server)
        let (attempt, question) = try await begin(browser)
        let clientID = try #require(attempt.parameters["client_id"])
        let answer = try await response(to: question) { $0["sub"] = .string(clientID) }
        expectRefused(await come(back: answer, in: browser))
        #expect(try await server.storage.user(subject: clientID) == nil)
    }

    @Test func `a name that somebody else has takes no account over`() async throws {
        let browser = FakeBrowser(server)
        let question = try await begin(browser).question
        let answer = try await response(to: question) { $0["name"] = "Ada" }
        let consent = try await browser.follow(await come(back: answer, in: browser))
        #expect(consent.text.contains("employee-17") && !consent.text.contains("ada<"))
        #expect(try await server.storage.user(named: "ada")?.subject == "subject-of-ada")
    }
}
