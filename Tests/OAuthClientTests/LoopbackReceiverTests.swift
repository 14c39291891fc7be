// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import OAuthTransport
import StrictJSON
import TestSupport
import Testing

@testable import OAuthClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("RFC 8252 section 7.3: the answer on the loopback address")
struct LoopbackReceiverTests {
    private let request = AuthorizationRequest(
        url: "https://auth.example",
        redirectURI: "http://127.0.0.1/callback",
        state: "s1",
        expiresAt: Timestamp(secondsSince1970: 0),
        responseMode: .query
    )

    /// Requests a page like a browser, without following redirects.
    private func get(_ url: String, method: String = "GET") async throws -> HTTPResponse {
        try await PlatformTransport().send(HTTPRequest(method: method, target: url), maximumBodySize: 65_536)
    }

    /// Waits long enough for a busy machine.
    private func waiting(_ receiver: LoopbackReceiver) -> Task<AuthorizationCallback, any Error> {
        Task { try await callback(receiver) }
    }

    private func callback(_ receiver: LoopbackReceiver) async throws -> AuthorizationCallback {
        let callback = try await unconcluded(receiver, pageTimeout: .milliseconds(500))
        await callback.conclude(.signedIn)
        return callback
    }

    /// The callback of a sign-in whose outcome nobody has told yet.
    private func unconcluded(
        _ receiver: LoopbackReceiver,
        pageTimeout: Duration
    ) async throws -> AuthorizationCallback {
        try await receiver.callback(
            state: "s1",
            timeout: .seconds(300),
            requestTimeout: pageTimeout,
            afterglow: .seconds(300)
        ).callback
    }

    @Test func `trap 13: an IP literal, a port of the system's choosing, listening from the start`() throws {
        let first = try LoopbackReceiver()
        let second = try LoopbackReceiver()
        #expect(first.redirectURI.hasPrefix("http://127.0.0.1:"))
        #expect(first.redirectURI.hasSuffix("/callback"))
        #expect(first.redirectURI != second.redirectURI)
    }

    @Test func `the right answer is sent on to a page, and the wait ends`() async throws {
        let receiver = try LoopbackReceiver()
        let task = waiting(receiver)
        let url = receiver.redirectURI + "?code=a%2Bb&state=s1"
        let redirect = try await get(url)
        #expect(redirect.status == 303)
        #expect(redirect.fields["Location"] == "/done")
        #expect(redirect.fields["Cache-Control"] == "no-store")
        #expect(redirect.fields["Referrer-Policy"] == "no-referrer")
        #expect(redirect.fields["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        let page = try await get(receiver.redirectURI.replacing("/callback", with: "/done"))
        #expect(page.status == 200)
        let html = String(decoding: page.body, as: UTF8.self)
        #expect(html.contains("You can close this window"))
        #expect(!html.contains("<script"))
        #expect(try await task.value.url == url)
    }

    @Test func `the port is closed when the last page was shown`() async throws {
        // Not a port that the system assigns: the last request would reach the server of another test.
        let receiver = try LoopbackReceiver(redirectURI: "http://127.0.0.1:\(FreePort.next())/callback")
        let task = waiting(receiver)
        _ = try await get(receiver.redirectURI + "?code=a&state=s1")
        _ = try await get(receiver.redirectURI.replacing("/callback", with: "/done"))
        _ = try await task.value
        await #expect(throws: (any Error).self) { try await get(receiver.redirectURI + "?code=a&state=s1") }
    }

    @Test func `a browser that is slow to show the last page still gets it, and the app does not wait for it`()
        async throws
    {
        let receiver = try LoopbackReceiver()
        // Not the default of 10 seconds: a busy machine may need longer to resume this test.
        let task = waiting(receiver)
        _ = try await get(receiver.redirectURI + "?code=a&state=s1")
        _ = try await task.value
        #expect(try await get(receiver.redirectURI + "?code=b&state=s1").status == 404)
        #expect(try await get(receiver.redirectURI.replacing("/callback", with: "/done")).status == 200)
    }

    @Test(arguments: [
        "/callback?code=x&state=other", "/callback?code=x", "/callback", "/favicon.ico", "/done",
        "/callback/?code=x&state=s1",
        "/callback?code=x&state=s1&state=s1", "/callback?state=%ff",
    ])
    func `trap 13: anything else is not found, and the wait goes on`(_ target: String) async throws {
        let receiver = try LoopbackReceiver()
        let task = waiting(receiver)
        let base = receiver.redirectURI.replacing("/callback", with: "")
        #expect(try await get(base + target).status == 404)
        #expect(try await get(receiver.redirectURI + "?code=a&state=s1").status == 303)
        _ = try await task.value
    }

    @Test func `only GET is answered`() async throws {
        let receiver = try LoopbackReceiver()
        let task = waiting(receiver)
        #expect(try await get(receiver.redirectURI + "?code=a&state=s1", method: "POST").status == 405)
        task.cancel()
        _ = await task.result
    }

    @Test func `another Host is rejected, so that no name can be bound to this address`() {
        var conversation = LoopbackHandler(authority: "127.0.0.1:81", path: "/callback", state: "s1")
        for host in ["evil.example:81", "127.0.0.1", "127.0.0.1:82", "localhost:81", ""] {
            let request = LoopbackRequest(method: "GET", target: "/callback?code=a&state=s1", host: host)
            #expect(Self.text(conversation.answer(request)).hasPrefix("HTTP/1.1 400"))
        }
        #expect(conversation.callback == nil)
    }

    private static func text(_ response: [UInt8]?) -> String { String(decoding: response ?? [], as: UTF8.self) }

    @Test(arguments: [(SignInOutcome.signedIn, "Signed in"), (.notSignedIn, "Not signed in")])
    func `the last page waits for the outcome, whatever the answer looked like`(
        _ outcome: SignInOutcome,
        _ title: String
    ) async throws {
        for query in ["code=a&state=s1", "error=access_denied&state=s1"] {
            let receiver = try LoopbackReceiver()
            let task = Task { try await unconcluded(receiver, pageTimeout: .seconds(300)) }
            _ = try await get(receiver.redirectURI + "?" + query)
            let page = Task { try await get(receiver.redirectURI.replacing("/callback", with: "/done")) }
            let callback = try await task.value
            await callback.conclude(outcome)
            // Only the first outcome counts.
            await callback.conclude(.signedIn)
            #expect(String(decoding: try await page.value.body, as: UTF8.self).contains("<h1>\(title)</h1>"))
        }
    }

    @Test func `without an outcome the last page sends the user back to the application`() async throws {
        let receiver = try LoopbackReceiver()
        let task = Task { try await unconcluded(receiver, pageTimeout: .milliseconds(50)) }
        _ = try await get(receiver.redirectURI + "?code=a&state=s1")
        let page = try await get(receiver.redirectURI.replacing("/callback", with: "/done"))
        #expect(String(decoding: page.body, as: UTF8.self).contains("<h1>Go back to the application</h1>"))
        // Too late, and not waited for.
        await (try await task.value).conclude(.signedIn)
    }

    @Test func `the end of a session has a page of its own`() async throws {
        let receiver = try LoopbackReceiver()
        let task = Task { try await receiver.callback(state: "s1", timeout: .seconds(300)) }
        _ = try await get(receiver.redirectURI + "?state=s1")
        let page = try await get(receiver.redirectURI.replacing("/callback", with: "/done"))
        #expect(String(decoding: page.body, as: UTF8.self).contains("<h1>Signed out</h1>"))
        _ = try await task.value
    }

    @Test func `the path of the last page is not that of the callback`() {
        var conversation = LoopbackHandler(authority: "127.0.0.1:81", path: "/done", state: "s1")
        let answer = LoopbackRequest(method: "GET", target: "/done?error=access_denied&state=s1", host: "127.0.0.1:81")
        #expect(Self.text(conversation.answer(answer)).contains("Location: /finished\r\n"))
        let last = LoopbackRequest(method: "GET", target: "/finished", host: "127.0.0.1:81")
        #expect(conversation.answer(last) == nil)
        conversation.outcome = .notSignedIn
        #expect(Self.text(conversation.answer(last)).contains("Not signed in"))
    }

    @Test func `the state of a signed answer is read too`() throws {
        let claims = Base64URL.encode(JSONValue.object(["state": "s1", "code": "a"]).encoded())
        let token = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8)) + "." + claims + ".AA"
        var conversation = LoopbackHandler(authority: "127.0.0.1:81", path: "/callback", state: "s1")
        let target = "/callback?response=" + token
        _ = conversation.answer(LoopbackRequest(method: "GET", target: target, host: "127.0.0.1:81"))
        #expect(conversation.callback != nil)
    }

    @Test func `without IPv4 the errors say which redirect URI the server may not know`() throws {
        let receiver = try LoopbackReceiver(redirectURI: "http://127.0.0.1/callback", onIPv4: { _ in nil })
        #expect(receiver.redirectURI.hasPrefix("http://[::1]:"))
        let told = receiver.explaining(OAuthClientError(.timedOut, "the browser did not return in time"))
        #expect((told as? OAuthClientError)?.reason.contains(receiver.redirectURI) == true)
        #expect((told as? OAuthClientError)?.code == .timedOut)
        let other = receiver.explaining(OAuthClientError(.cancelled, "cancelled"))
        #expect((other as? OAuthClientError)?.reason == "cancelled")
        // Where IPv6 was asked for, the server knows it.
        let asked = try LoopbackReceiver(redirectURI: "http://[::1]/callback")
        let plain = asked.explaining(OAuthClientError(.timedOut, "late"))
        #expect((plain as? OAuthClientError)?.reason == "late")
    }

    @Test func `a second answer changes nothing`() {
        var conversation = LoopbackHandler(authority: "127.0.0.1:81", path: "/callback", state: "s1")
        for code in ["a", "b"] {
            let target = "/callback?code=\(code)&state=s1"
            _ = conversation.answer(LoopbackRequest(method: "GET", target: target, host: "127.0.0.1:81"))
        }
        #expect(conversation.callback?.url == "http://127.0.0.1:81/callback?code=a&state=s1")
    }

    @Test func `connections that say nothing do not hold up the answer`() async throws {
        let receiver = try LoopbackReceiver()
        let task = waiting(receiver)
        let port = try #require(try URI(parsing: receiver.redirectURI).port)
        let idle = (0..<40).compactMap { _ in TestConnection(port: port) }
        #expect(idle.count == 40)
        idle[39].write("GET /callback?code=a")
        #expect(try await get(receiver.redirectURI + "?code=b&state=s1").status == 303)
        #expect(try await task.value.url.hasSuffix("code=b&state=s1"))
    }

    @Test func `a head that arrives in pieces is read, one that is too long is rejected`() {
        let head = Array("GET /callback?a=b HTTP/1.1\r\nHost: 127.0.0.1:81\r\nX: y\r\n\r\n".utf8)
        for length in 0..<head.count { #expect(LoopbackRequest.read(Array(head[..<length])) == .incomplete) }
        let expected = LoopbackRequest(method: "GET", target: "/callback?a=b", host: "127.0.0.1:81")
        #expect(LoopbackRequest.read(head) == .complete(expected))
        let long = Array("GET / HTTP/1.1\r\n".utf8) + [UInt8](repeating: 65, count: LoopbackRequest.maximumSize)
        #expect(LoopbackRequest.read(long) == .malformed)
    }

    @Test(arguments: [
        "GET http://127.0.0.1:81/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET /\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\n",
        "GET / HTTP/2\r\nHost: a\r\n\r\n",
    ])
    func `a head that is not one of HTTP is rejected`(_ head: String) {
        #expect(LoopbackRequest.read(Array(head.utf8)) == .malformed)
    }

    @Test func `nobody coming is an error after the time is up`() async throws {
        let receiver = try LoopbackReceiver()
        let error = await clientError { _ = try await receiver.callback(of: request, timeout: .milliseconds(50)) }
        #expect(error?.code == .timedOut)
    }

    @Test func `cancelling ends the wait and closes the port`() async throws {
        let receiver = try LoopbackReceiver()
        let task = waiting(receiver)
        task.cancel()
        let error = await clientError { _ = try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `a receiver serves one sign-in`() async throws {
        let receiver = try LoopbackReceiver()
        _ = await clientError { _ = try await receiver.callback(of: request, timeout: .milliseconds(1)) }
        let error = await clientError { _ = try await receiver.callback(of: request) }
        #expect(error?.code == .loopbackFailed)
    }

    @Test func `a fixed port is taken as it is, and an error when it is in use`() async throws {
        let first = try LoopbackReceiver()
        let error = await clientError { _ = try LoopbackReceiver(redirectURI: first.redirectURI) }
        #expect(error?.code == .loopbackFailed)
        #expect(error?.reason.contains("another program may use it; leave the port out") == true)
    }

    /// A browser leaves port 80 out of the `Host` field, so its request would be refused until the time is up.
    @Test(arguments: ["127.0.0.1:80", "[::1]:80", "localhost:80", "127.0.0.1:6000", "127.0.0.1:10080", "127.0.0.1:22"])
    func `a port that browsers do not return to is rejected`(_ authority: String) async {
        let error = await clientError { _ = try LoopbackReceiver(redirectURI: "http://\(authority)/callback") }
        #expect(error?.code == .unsupportedRedirectURI)
        #expect(error?.reason.hasPrefix("a browser does not return to port") == true)
    }

    @Test func `a fixed port can be listened on again when a sign-in has just ended there`() async throws {
        let first = try LoopbackReceiver(redirectURI: "http://127.0.0.1:\(FreePort.next())/callback")
        let task = waiting(first)
        _ = try await get(first.redirectURI + "?code=a&state=s1")
        _ = try await get(first.redirectURI.replacing("/callback", with: "/done"))
        _ = try await task.value
        // The port is closed shortly after the last page was sent; its connections linger for a minute.
        var second = try? LoopbackReceiver(redirectURI: first.redirectURI)
        for _ in 0..<30_000 where second == nil {
            try await Task.sleep(for: .milliseconds(10))
            second = try? LoopbackReceiver(redirectURI: first.redirectURI)
        }
        #expect(second?.redirectURI == first.redirectURI)
    }

    @Test(arguments: [
        "http://localhost.evil.example/callback", "http://app.localhost/callback", "https://localhost/callback",
        "https://127.0.0.1/callback", "com.example.app:/callback",
        "http://127.0.0.2/callback",
        "http://192.168.0.1/callback", "nonsense",
    ])
    func `trap 13: only the IP literals of this machine, and its own name, will do`(_ redirectURI: String) async {
        let error = await clientError { _ = try LoopbackReceiver(redirectURI: redirectURI) }
        #expect(error?.code == .unsupportedRedirectURI)
    }

    @Test func `a server that takes only the name gets the name, and the answer comes under it`() async throws {
        let receiver = try LoopbackReceiver(redirectURI: "http://localhost/callback")
        #expect(receiver.redirectURI.hasPrefix("http://localhost:") && receiver.redirectURI.hasSuffix("/callback"))
        let port = try #require(try URI(parsing: receiver.redirectURI).port)
        let task = Task { try await receiver.callback(state: "s1") }
        // Another name of the same address is the name of somebody else's site (DNS rebinding).
        let other = try? await get("http://127.0.0.1:\(port)/callback?code=evil&state=s1")
        _ = other
        _ = try await get(receiver.redirectURI + "?code=a&state=s1")
        #expect(try await task.value.url.contains("code=a"))
    }
}
