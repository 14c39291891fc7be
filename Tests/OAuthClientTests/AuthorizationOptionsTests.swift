// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import StrictJSON
import TestSupport
import Testing

@Suite("OpenID Connect Core section 3.1.2.1: what a sign-in asks for")
struct AuthorizationOptionsTests {
    private func refuses(_ options: AuthorizationOptions, scopes: [String] = ["openid"]) async throws -> Bool {
        let fixture = try await OpenIDFixture()
        return await clientError { _ = try await fixture.parameters(options, scopes: scopes) }?.code == .invalidArgument
    }

    @Test func `nothing is sent that was not asked for`() async throws {
        let parameters = try await OpenIDFixture().parameters(scopes: ["notes"])
        let own = ["response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method"]
        #expect(Set(parameters.all.map(\.name)) == Set(own + ["dpop_jkt", "scope"]))
    }

    @Test func `nonce has 256 bits and is new at each sign-in with openid`() async throws {
        let fixture = try await OpenIDFixture()
        let (first, second) = (try await fixture.parameters(), try await fixture.parameters())
        #expect(try first.value(for: "nonce")?.utf8.count == 43)
        #expect(try first.value(for: "nonce") != second.value(for: "nonce"))
    }

    @Test func `every parameter has its form`() async throws {
        let fixture = try await OpenIDFixture()
        var options = AuthorizationOptions(additionalParameters: ["x": "y"])
        options.acrValues = ["urn:a", "b"]
        options.maxAge = .seconds(300)
        options.prompts = [.login, .consent]
        options.loginHint = "alice+1@example.com, Ali ce"
        options.uiLocales = ["de-CH", "en"]
        options.display = .touch
        options.claims = ClaimsRequest(
            idToken: ["acr": .essential("3", "4"), "auth_time": .essential],
            userInfo: ["name": .voluntary, "email#de": .essential, "address": .voluntary("x")]
        )
        let hint = try #require(try await fixture.tokens().idToken)
        options.idTokenHint = hint
        let parameters = try await fixture.parameters(options)
        #expect(parameters.firstRepeatedName == nil)
        #expect(try parameters.value(for: "acr_values") == "urn:a b")
        #expect(try parameters.value(for: "max_age") == "300")
        #expect(try parameters.value(for: "prompt") == "login consent")
        #expect(try parameters.value(for: "login_hint") == "alice+1@example.com, Ali ce")
        #expect(try parameters.value(for: "ui_locales") == "de-CH en")
        #expect(try parameters.value(for: "display") == "touch")
        #expect(try parameters.value(for: "id_token_hint") == hint.rawValue)
        #expect(try parameters.value(for: "x") == "y")
        let claims =
            #"{"userinfo":{"address":{"value":"x"},"email#de":{"essential":true},"name":null},"#
            + #""id_token":{"acr":{"essential":true,"values":["3","4"]},"auth_time":{"essential":true}}}"#
        #expect(try parameters.value(for: "claims") == claims)
    }

    @Test func `the prompt none goes alone`() async throws {
        var options = AuthorizationOptions()
        options.prompts = [.none]
        #expect(try await !refuses(options))
        options.prompts = [.none, .login]
        #expect(try await refuses(options))
    }

    @Test(
        arguments: [
            { $0.prompts = [AuthorizationPrompt(rawValue: "log in")] },
            { $0.prompts = [AuthorizationPrompt(rawValue: "")] },
            { $0.acrValues = ["a b"] },
            { $0.acrValues = ["é"] },
            { $0.acrValues = [String(repeating: "a", count: 2049)] },
            { $0.uiLocales = ["de en"] },
            { $0.display = PageDisplay(rawValue: "a\nb") },
            { $0.loginHint = "" },
            { $0.loginHint = "a\u{0}" },
            { $0.loginHint = String(repeating: "a", count: 1025) },
            { $0.maxAge = .seconds(-1) },
            { $0.maxAge = .milliseconds(1500) },
            { $0.maxAge = .seconds(10_000_000_000) },
            { $0.claims = ClaimsRequest() },
            { $0.claims = ClaimsRequest(userInfo: [String(repeating: "a", count: 9000): .voluntary]) },
        ] as [@Sendable (inout AuthorizationOptions) -> Void]
    )
    func `what is of the wrong form is rejected`(_ change: @Sendable (inout AuthorizationOptions) -> Void) async throws
    {
        var options = AuthorizationOptions()
        change(&options)
        #expect(try await refuses(options))
    }

    @Test func `the same parameter twice is rejected, and nonce is the client's own`() async throws {
        var options = AuthorizationOptions(additionalParameters: ["prompt": "login"])
        #expect(try await !refuses(options))
        options.prompts = [.login]
        #expect(try await refuses(options))
        #expect(try await refuses(AuthorizationOptions(additionalParameters: ["nonce": "mine"])))
    }

    @Test func `what only an id_token can show needs the scope openid`() async throws {
        var options = AuthorizationOptions()
        options.claims = ClaimsRequest(idToken: ["acr": .essential])
        #expect(try await refuses(options, scopes: ["notes"]))
        options = AuthorizationOptions()
        options.acrValues = ["a"]
        options.maxAge = .zero
        #expect(try await !refuses(options, scopes: ["notes"]))
    }

    @Test func `two different users cannot be asked for`() async throws {
        let fixture = try await OpenIDFixture()
        var options = AuthorizationOptions()
        options.idTokenHint = try await fixture.tokens().idToken
        options.claims = ClaimsRequest(idToken: ["sub": .essential("bob")])
        let error = await clientError { _ = try await fixture.parameters(options) }
        #expect(error?.code == .invalidArgument)
    }
}
#endif
