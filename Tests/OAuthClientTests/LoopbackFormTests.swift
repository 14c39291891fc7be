// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import OAuthTransport
import TestSupport
import Testing

@testable import OAuthClient

@Suite("Form Post Response Mode: the answer as a form on the loopback address")
struct LoopbackFormTests {
    private static let form = "application/x-www-form-urlencoded"

    /// Posts a form like a browser.
    private func post(_ url: String, _ body: String, type: String? = form) async throws -> HTTPResponse {
        var fields: HTTPFields = ["Origin": "https://auth.example", "Sec-Fetch-Site": "cross-site"]
        fields["Content-Type"] = type
        let request = HTTPRequest(method: "POST", target: url, fields: fields, body: Array(body.utf8))
        return try await PlatformTransport().send(request, maximumBodySize: 65_536)
    }

    private func waiting(_ receiver: LoopbackReceiver) -> Task<AuthorizationCallback, any Error> {
        Task {
            let received = try await receiver.callback(
                state: "s1",
                expectsForm: true,
                timeout: .seconds(300),
                requestTimeout: .milliseconds(500),
                afterglow: .seconds(300)
            )
            await received.callback.conclude(.signedIn)
            return received.callback
        }
    }

    @Test func `a form with the right state is taken, and the browser sent on to a page`() async throws {
        let receiver = try LoopbackReceiver()
        let task = waiting(receiver)
        let redirect = try await post(receiver.redirectURI, "code=a%2Bb&state=s1")
        #expect(redirect.status == 303)
        #expect(redirect.fields["Location"] == "/done")
        // The form of a page is sent without a preflight request: no page may read the response.
        #expect(redirect.fields["Access-Control-Allow-Origin"] == nil)
        let done = receiver.redirectURI.replacing("/callback", with: "/done")
        let page = try await PlatformTransport().send(HTTPRequest(target: done), maximumBodySize: 65_536)
        #expect(String(decoding: page.body, as: UTF8.self).contains("You can close this window"))
        let callback = try await task.value
        #expect(callback.url == receiver.redirectURI)
        #expect(callback.formBody == Array("code=a%2Bb&state=s1".utf8))
    }

    @Test(arguments: [
        ("", "code=x&state=other", 404), ("", "code=x", 404), ("", "", 404), ("", "code=x&state=s1&state=s1", 404),
        ("", "%zz", 400), ("/", "code=x&state=s1", 404), ("x", "code=x&state=s1", 404),
        ("", "response=e30.e30.e30", 404), ("", "response=a.b.c.d.e&state=s1", 404),
    ])
    func `trap 5 and 8: any other form is sent away, and the wait goes on`(
        _ suffix: String,
        _ body: String,
        _ status: Int
    ) async throws {
        let receiver = try LoopbackReceiver()
        let task = waiting(receiver)
        #expect(try await post(receiver.redirectURI + suffix, body).status == status)
        #expect(try await post(receiver.redirectURI, "code=a&state=s1").status == 303)
        #expect(try await task.value.formBody == Array("code=a&state=s1".utf8))
    }

    @Test(arguments: [
        "text/plain", "multipart/form-data; boundary=x", "application/json",
        "application/x-www-form-urlencodedx", "",
    ])
    func `a form of another type is rejected`(_ type: String) async throws {
        let receiver = try LoopbackReceiver()
        let task = waiting(receiver)
        #expect(try await post(receiver.redirectURI, "code=x&state=s1", type: type).status == 415)
        let good = "APPLICATION/x-www-form-urlencoded; charset=UTF-8"
        #expect(try await post(receiver.redirectURI, "code=a&state=s1", type: good).status == 303)
        _ = try await task.value
    }

    @Test func `a body over 16 KiB is rejected, one of 16 KiB is taken`() async throws {
        let receiver = try LoopbackReceiver()
        let task = waiting(receiver)
        let start = "code=a&state=s1&foo="
        let full = start + String(repeating: "x", count: 16_384 - start.utf8.count)
        let head = "POST /callback HTTP/1.1\r\nHost: \(receiver.redirectURI.dropFirst(7).prefix { $0 != "/" })\r\n"
        let tooLong = Array((head + "Content-Length: 16385\r\n\r\n").utf8)
        #expect(LoopbackRequest.read(tooLong) == .tooLarge)
        #expect(try await post(receiver.redirectURI, full).status == 303)
        #expect(try await task.value.formBody?.count == 16_384)
    }

    @Test(arguments: [
        "", "Content-Length: 1\r\nContent-Length: 1\r\n", "Content-Length: +1\r\n", "Content-Length: -1\r\n",
        "Content-Length: 1, 1\r\n", "Content-Length: 0x1\r\n", "Content-Length:\r\n", "Transfer-Encoding: chunked\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 1\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n", "Content\rLength: 1\r\n",
    ])
    func `a form whose length is not said once and in digits is malformed`(_ fields: String) {
        let head = "POST /callback HTTP/1.1\r\nHost: a\r\n\(fields)\r\nx"
        #expect(LoopbackRequest.read(Array(head.utf8)) == .malformed)
    }

    @Test func `a length beyond every number is too large`() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n"
        #expect(LoopbackRequest.read(Array(head.utf8)) == .tooLarge)
    }

    @Test func `a form that arrives in pieces is read, and no byte more than its length`() {
        let text = "POST /c HTTP/1.1\r\nHost: a\r\ncontent-type: \(Self.form)\r\ncontent-length:  3 \r\n\r\na=b"
        let bytes = Array(text.utf8)
        for length in 0..<bytes.count { #expect(LoopbackRequest.read(Array(bytes[..<length])) == .incomplete) }
        var expected = LoopbackRequest(method: "POST", target: "/c", host: "a")
        expected.contentType = Self.form
        expected.body = Array("a=b".utf8)
        #expect(LoopbackRequest.read(bytes) == .complete(expected))
        #expect(LoopbackRequest.read(bytes + Array("GET /".utf8)) == .complete(expected))
    }

    @Test func `where no form was asked for, none is taken`() {
        var conversation = LoopbackHandler(authority: "127.0.0.1:81", path: "/callback", state: "s1")
        var request = LoopbackRequest(method: "POST", target: "/callback", host: "127.0.0.1:81")
        request.contentType = Self.form
        request.body = Array("code=a&state=s1".utf8)
        #expect(String(decoding: conversation.answer(request) ?? [], as: UTF8.self).hasPrefix("HTTP/1.1 405"))
        #expect(conversation.callback == nil)
    }

    @Test func `a form to another Host is rejected`() {
        var conversation = LoopbackHandler(
            authority: "127.0.0.1:81",
            path: "/callback",
            state: "s1",
            expectsForm: true
        )
        var request = LoopbackRequest(method: "POST", target: "/callback", host: "evil.example:81")
        request.contentType = Self.form
        request.body = Array("code=a&state=s1".utf8)
        #expect(String(decoding: conversation.answer(request) ?? [], as: UTF8.self).hasPrefix("HTTP/1.1 400"))
        #expect(conversation.callback == nil)
    }

    // MARK: The system browser

    /// A browser in which the user consents, and that posts forms.
    private struct Browser: BrowserLauncher {
        let server: SigningServer
        let request: @Sendable (AuthorizationCallback) -> HTTPRequest

        func open(_ url: String) async throws(OAuthClientError) {
            let opened = AuthorizationRequest(
                url: url,
                redirectURI: "",
                state: "",
                expiresAt: Timestamp(secondsSince1970: 0),
                responseMode: .query
            )
            guard let callback = try? await server.browse(opened) else { return }
            let transport = PlatformTransport()
            _ = try? await transport.send(request(callback), maximumBodySize: 65_536)
            let done = String(callback.url.prefix { $0 != "?" }).replacing("/callback", with: "/done")
            _ = try? await transport.send(HTTPRequest(target: done), maximumBodySize: 65_536)
        }

        @Sendable static func faithful(_ callback: AuthorizationCallback) -> HTTPRequest {
            guard let body = callback.formBody else { return HTTPRequest(target: callback.url) }
            return HTTPRequest(
                method: "POST",
                target: callback.url,
                fields: ["Content-Type": LoopbackFormTests.form],
                body: body
            )
        }

        @Sendable static func getting(_ callback: AuthorizationCallback) -> HTTPRequest {
            let form = String(decoding: callback.formBody ?? [], as: UTF8.self)
            return HTTPRequest(target: callback.url + "?" + form)
        }
    }

    private func callback(
        _ fixture: SigningFixture,
        _ mode: ResponseMode,
        _ request: @escaping @Sendable (AuthorizationCallback) -> HTTPRequest
    ) async throws -> AuthorizationCallback {
        let agent = SystemBrowser(
            timeout: .seconds(300),
            showURL: nil,
            launcher: Browser(server: fixture.server, request: request)
        )
        return try await agent.authorize(redirectURI: "http://127.0.0.1/callback") { redirectURI in
            try await fixture.client.initiateAuthorization(
                scopes: ["a"],
                redirectURI: redirectURI,
                options: AuthorizationOptions(responseMode: mode)
            )
        }
    }

    @Test(arguments: [ResponseMode.query, .formPost, .queryJWT, .formPostJWT, .jwt])
    func `the system browser brings back every mode that reaches a server`(_ mode: ResponseMode) async throws {
        let fixture = try SigningFixture(redirectURI: "http://127.0.0.1/callback")
        let callback = try await callback(fixture, mode, Browser.faithful)
        let response = try await fixture.client.parseAuthorizationResponse(callback)
        #expect(response.code.value == "code 1+&/=")
    }

    @Test func `one call signs in with a signed request, a signed answer and a form, by value and pushed`() async throws
    {
        for offersPAR in [true, false] {
            let fixture = try SigningFixture.signingRequests(redirectURI: "http://127.0.0.1/callback")
            await fixture.server.change { $0.offersPAR = offersPAR }
            let session = try await fixture.client.signIn(
                scopes: ["a"],
                using: SystemBrowser(
                    timeout: .seconds(300),
                    showURL: nil,
                    launcher: Browser(server: fixture.server, request: Browser.faithful)
                ),
                options: AuthorizationOptions(responseMode: .formPostJWT)
            )
            #expect(try await session.tokenManager.fetch().accessToken.value == "granted")
            #expect(await fixture.server.conduct.violations == [])
        }
    }

    @Test(arguments: [ResponseMode.formPost, .formPostJWT])
    func `a GET where a form was asked for is rejected at once`(_ mode: ResponseMode) async throws {
        let fixture = try SigningFixture(redirectURI: "http://127.0.0.1/callback")
        let callback = try await callback(fixture, mode, Browser.getting)
        let error = await clientError { _ = try await fixture.client.parseAuthorizationResponse(callback) }
        #expect(error?.code == .malformedCallback)
    }

    @Test(arguments: [ResponseMode.fragment, .fragmentJWT])
    func `the system browser says that it cannot see a fragment, and opens nothing`(_ mode: ResponseMode) async throws {
        let fixture = try SigningFixture(redirectURI: "http://127.0.0.1/callback")
        let error = await clientError { _ = try await callback(fixture, mode, Browser.faithful) }
        #expect(error?.code == .unsupportedResponseMode)
        #expect(await fixture.server.conduct.queries.isEmpty)
    }
}
#endif
