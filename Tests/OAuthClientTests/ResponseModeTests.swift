// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON
import Testing

@Suite("response_mode: where the answer comes back, over real sockets")
struct ResponseModeTests {
    static let all: [ResponseMode] = [.query, .fragment, .formPost, .queryJWT, .fragmentJWT, .formPostJWT, .jwt]

    @Test(arguments: all)
    func `an answer in the mode that was asked for is taken, with a redirect URI that has a query too`(
        _ mode: ResponseMode
    ) async throws {
        for redirectURI in ["com.example.app:/callback", "https://app.example/callback?tenant=a%2Bb"] {
            let fixture = try SigningFixture(redirectURI: redirectURI)
            let response = try await fixture.answer(mode)
            #expect(response.code.value == "code 1+&/=")
            #expect(response.transaction.responseMode == mode)
            #expect(await fixture.server.conduct.violations == [])
        }
    }

    @Test(arguments: all)
    func `response_mode is sent, except for the query, which is what servers do by themselves`(
        _ mode: ResponseMode
    ) async throws {
        let fixture = try SigningFixture()
        let request = try await fixture.start(mode)
        let pushed = try #require(await fixture.server.conduct.pushed.first)
        #expect(try pushed.value(for: "response_mode") == (mode == .query ? nil : mode.rawValue))
        #expect(request.responseMode == mode)
    }

    /// Every pair of different modes: the requested one and the one of the response.
    static let mismatches = all.flatMap { asked in
        all.filter { $0 != asked && Set([asked, $0]) != [.queryJWT, .jwt] }.map { (asked, $0) }
    }

    @Test(arguments: mismatches)
    func `trap 12: an answer in another mode than was asked for is rejected, and the sign-in is over`(
        _ asked: ResponseMode,
        _ given: ResponseMode
    ) async throws {
        let fixture = try SigningFixture()
        await fixture.server.change { $0.mode = given }
        let request = try await fixture.start(asked)
        let callback = try await fixture.server.browse(request)
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(callback) }
        #expect(error?.code == .malformedCallback)
        #expect(error?.reason == "the answer is of a response mode that was not asked for")
        let again = await clientError { _ = try await fixture.client.parseAuthorizationResponse(callback) }
        #expect(again?.code == .unknownState)
    }

    @Test func `a mode that the metadata does not name is not asked for`() async throws {
        let fixture = try SigningFixture()
        await fixture.server.change { $0.metadata = ["response_modes_supported": ["query", "form_post"]] }
        let error = await clientError { _ = try await fixture.start(.fragment) }
        #expect(error?.code == .unsupportedByServer)
        _ = try await fixture.start(.formPost)
    }

    @Test func `a mode that nobody knows is rejected before anything is stored or sent`() async throws {
        let fixture = try SigningFixture()
        let error = await clientError { _ = try await fixture.start(ResponseMode(rawValue: "web_message")) }
        #expect(error?.code == .invalidArgument)
        #expect(await fixture.server.conduct.pushed.isEmpty)
    }

    // MARK: Attacks on plain responses

    private func form(_ parameters: FormParameters) -> [UInt8] { Array(parameters.encoded().utf8) }

    private func refusal(
        _ mode: ResponseMode,
        _ answer: (_ state: String, _ issuer: String) -> AuthorizationCallback
    ) async throws -> OAuthClientError? {
        let fixture = try SigningFixture()
        let state = try await fixture.start(mode).state
        let callback = answer(state, FormParameters.encode(fixture.server.issuer))
        return await clientError { _ = try await fixture.client.parseAuthorizationResponse(callback) }
    }

    @Test func `an answer in query and body at once is rejected`() async throws {
        let error = try await refusal(.formPost) { state, issuer in
            AuthorizationCallback(
                url: "com.example.app:/callback?code=theirs&state=\(state)",
                formBody: Array("code=mine&state=\(state)&iss=\(issuer)".utf8)
            )
        }
        #expect(error?.code == .malformedCallback)
    }

    @Test func `an answer in query and fragment at once is rejected`() async throws {
        let error = try await refusal(.fragment) { state, issuer in
            AuthorizationCallback(
                url: "com.example.app:/callback?code=theirs#code=mine&state=\(state)&iss=\(issuer)"
            )
        }
        #expect(error?.code == .malformedCallback)
    }

    @Test func `a query beside a form is rejected, whatever is in it`() async throws {
        let error = try await refusal(.formPost) { state, issuer in
            AuthorizationCallback(
                url: "com.example.app:/callback?foo=bar",
                formBody: Array("code=mine&state=\(state)&iss=\(issuer)".utf8)
            )
        }
        #expect(error?.code == .malformedCallback)
    }

    @Test func `what stands in the fragment of an answer in the query is not read`() async throws {
        let fixture = try SigningFixture()
        let request = try await fixture.start(.query)
        let url = try await fixture.server.browse(request).url + "#code=other&state=other&iss=other"
        #expect(try await fixture.client.parseAuthorizationResponse(url).code.value == "code 1+&/=")
    }

    @Test(arguments: ["code", "iss", "foo", "state"])
    func `trap 7: a parameter repeated in a form is rejected`(_ name: String) async throws {
        let error = try await refusal(.formPost) { state, issuer in
            AuthorizationCallback(
                url: "com.example.app:/callback",
                formBody: Array("code=c&state=\(state)&iss=\(issuer)&foo=bar&\(name)=x".utf8)
            )
        }
        #expect(error?.code == .malformedCallback)
    }

    @Test func `trap 5: a form with a wrong state is not believed and ends nothing`() async throws {
        let fixture = try SigningFixture()
        let request = try await fixture.start(.formPost)
        let forged = form(["error": "access_denied", "state": "guess"])
        let error = await clientError {
            _ = try await fixture.client.parseAuthorizationResponse(
                formPost: forged,
                redirectURI: "com.example.app:/callback"
            )
        }
        #expect(error?.code == .unknownState)
        let callback = try await fixture.server.browse(request)
        _ = try await fixture.client.parseAuthorizationResponse(callback)
    }

    @Test(arguments: [ResponseMode.formPost, .fragment])
    func `trap 6: iss is checked in every mode`(_ mode: ResponseMode) async throws {
        let fixture = try SigningFixture()
        await fixture.server.change { $0.answerClaims = ["iss": "https://evil.example"] }
        #expect(await fixture.refusal(mode)?.code == .callbackOfAnotherIssuer)
        await fixture.server.change { $0.answerClaims = ["iss": .null] }
        #expect(await fixture.refusal(mode)?.code == .callbackOfAnotherIssuer)
    }

    @Test(arguments: [ResponseMode.formPost, .fragment])
    func `trap 16: form encoding is read as such in every mode`(_ mode: ResponseMode) async throws {
        let fixture = try SigningFixture()
        #expect(try await fixture.answer(mode).code.value == "code 1+&/=")
    }

    @Test func `trap 8: a form at another path is somebody else's and ends nothing`() async throws {
        let fixture = try SigningFixture()
        let request = try await fixture.start(.formPost)
        let callback = try await fixture.server.browse(request)
        let body = try #require(callback.formBody)
        let error = await clientError {
            _ = try await fixture.client.parseAuthorizationResponse(formPost: body, redirectURI: "com.example.app:/b")
        }
        #expect(error?.code == .unrelatedCallback)
        _ = try await fixture.client.parseAuthorizationResponse(callback)
    }

    @Test(arguments: all)
    func `trap 9: the token request has the redirect URI that was sent, not the one that the answer came to`(
        _ mode: ResponseMode
    ) async throws {
        let fixture = try SigningFixture(redirectURI: "https://app.example/cb?a=b%2Fc")
        let callback = try await fixture.server.browse(fixture.start(mode))
        let url = callback.url.replacing("https://app.example", with: "HTTPS://APP.example")
        let other = callback.formBody.map { AuthorizationCallback(url: url, formBody: $0) }
        let response = try await fixture.client.parseAuthorizationResponse(other ?? AuthorizationCallback(url: url))
        let tokens = try await fixture.client.exchangeAuthorizationCode(response)
        #expect(tokens.accessToken.value == "granted")
        let form = try #require(await fixture.server.conduct.tokenForms.first)
        #expect(try form.value(for: "redirect_uri") == "https://app.example/cb?a=b%2Fc")
    }

    @Test func `a body over 16 KiB or a URL over 8 KiB is rejected unread`() async throws {
        let long = String(repeating: "x", count: 16_384)
        let body = try await refusal(.formPost) { state, issuer in
            AuthorizationCallback(
                url: "com.example.app:/callback",
                formBody: Array("code=c&state=\(state)&iss=\(issuer)&foo=\(long)".utf8)
            )
        }
        #expect(body?.reason == "the form is longer than 16384 bytes")
        let url = try await refusal(.fragment) { state, issuer in
            AuthorizationCallback(url: "com.example.app:/callback#code=c&state=\(state)&iss=\(issuer)&foo=\(long)")
        }
        #expect(url?.code == .unrelatedCallback)
    }

    @Test(arguments: ["%zz", "a=%ff", "a=b&c=\u{1}"])
    func `a body that is no form is rejected and ends nothing`(_ body: String) async throws {
        let fixture = try SigningFixture()
        let request = try await fixture.start(.formPost)
        let error = await clientError {
            _ = try await fixture.client.parseAuthorizationResponse(
                formPost: Array(body.utf8),
                redirectURI: "com.example.app:/callback"
            )
        }
        #expect(error?.code == .malformedCallback)
        let callback = try await fixture.server.browse(request)
        _ = try await fixture.client.parseAuthorizationResponse(callback)
    }

    @Test func `trap 66: what the browser brought does not print`() throws {
        let callback = AuthorizationCallback(url: "app:/cb?code=secret", formBody: Array("code=secret".utf8))
        var dumped = ""
        dump(callback, to: &dumped)
        #expect(!"\(callback) \(String(reflecting: callback)) \(dumped)".contains("secret"))
    }
}
#endif
