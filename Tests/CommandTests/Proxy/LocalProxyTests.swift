// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import Synchronization
import Testing

@testable import KeyboundCommand

@Suite("keybound proxy: what passes")
struct LocalProxyTests {
    private static let secret = "the secret of this test"

    /// What reached the API.
    private final class Sent: Sendable {
        let requests = Mutex<[HTTPRequest]>([])
        var all: [HTTPRequest] { requests.withLock { $0 } }
    }

    private let sent = Sent()
    private let record = AccountRecord(
        account: ClientAccount(issuer: "https://auth.example.com", clientID: "my-app", name: "default"),
        redirectURI: "http://127.0.0.1/callback",
        allowsInsecureLoopback: false,
        keyPlace: .clearFile
    )

    private func proxy(
        secret: String? = nil,
        response: HTTPResponse = HTTPResponse(status: 200),
        failure: OAuthClientError? = nil
    ) -> LocalProxy {
        LocalProxy(
            origin: "https://api.example.com",
            entrance: ProxyEntrance(secret: secret),
            advice: { [record] in LocalProxy.advice(record, granted: [], meeting: $0) },
            send: { [sent] request in
                sent.requests.withLock { $0.append(request) }
                if let failure { throw failure }
                return response
            }
        )
    }

    private func request(
        _ method: String = "GET",
        _ target: String = "/notes",
        _ fields: HTTPFields = [:],
        host: String = "localhost",
        isFromUnixSocket: Bool = true
    ) -> HTTPRequest {
        HTTPRequest(
            method: method,
            target: target,
            fields: HTTPFields([HTTPFields.Field(name: "Host", value: host)] + fields.all),
            isFromUnixSocket: isFromUnixSocket
        )
    }

    private func text(_ response: HTTPResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test func `method, path, query, body and other fields stay as they are`() async {
        var request = request("PATCH", "/a%2Fb/../c?x=%20y&z", ["X-Own": "1", "Cookie": "a=b", "X-Own": "2"])
        request.body = Array("{}".utf8)
        _ = await proxy().respond(to: request)
        #expect(
            sent.all == [
                HTTPRequest(
                    method: "PATCH",
                    target: "https://api.example.com/a%2Fb/../c?x=%20y&z",
                    fields: ["X-Own": "1", "Cookie": "a=b", "X-Own": "2"],
                    body: Array("{}".utf8)
                )
            ]
        )
    }

    @Test func `RFC 9110 section 7 6 1: fields of a connection, and credentials of the program, do not pass`() async {
        let fields: HTTPFields = [
            "Authorization": "Bearer x", "authorization": "Basic y", "DPoP": "z", "Proxy-Authorization": "Basic p",
            "Proxy-Anything": "q", "Keybound-Proxy-Secret": "s", "Connection": "keep-alive, X-Hop",
            "connection": "x-more",
            "X-Hop": "1", "X-More": "2", "Keep-Alive": "timeout=5", "TE": "trailers", "Trailer": "X-End",
            "Transfer-Encoding": "chunked", "Upgrade": "h2c", "Content-Length": "0", "Expect": "100-continue",
            "X-Own": "kept",
        ]
        _ = await proxy().respond(to: request("GET", "/notes", fields))
        let kept: HTTPFields = ["X-Own": "kept"]
        #expect(sent.all.map(\.fields) == [kept])
    }

    @Test func `the response passes without the fields of its connection, and a redirect is not followed`() async {
        let response = HTTPResponse(
            status: 307,
            fields: [
                "Location": "https://elsewhere.example/", "Connection": "close, X-Hop", "X-Hop": "1", "Keep-Alive": "x",
                "Transfer-Encoding": "chunked", "Upgrade": "h2c", "Proxy-Authenticate": "Basic", "Set-Cookie": "a=1",
                "Set-Cookie": "b=2",
            ],
            body: Array("gone".utf8)
        )
        let passed = await proxy(response: response).respond(to: request())
        #expect(passed.status == 307 && passed.body == response.body)
        #expect(
            passed.fields == ["Location": "https://elsewhere.example/", "Set-Cookie": "a=1", "Set-Cookie": "b=2"]
        )
        #expect(sent.all.count == 1)
    }

    @Test func `a field of the response that cannot be written costs only that field`() async {
        let fields: HTTPFields = ["X-Latin": "M\u{FFFD}ller", "X-Control": "a\u{1}", "X Name": "b", "X-Own": "Müller"]
        let passed = await proxy(response: HTTPResponse(status: 200, fields: fields)).respond(to: request())
        let kept: HTTPFields = ["X-Own": "Müller"]
        #expect(passed.fields == kept)
    }

    @Test func `a status that HTTP does not define becomes 502`() async {
        #expect(await proxy(response: HTTPResponse(status: 999)).respond(to: request()).status == 502)
    }

    @Test(arguments: ["localhost", "LOCALHOST:80", "127.0.0.1", "127.1.2.3:8123", "[::1]", "[::1]:8123"])
    func `a loopback name is a host of the proxy`(_ host: String) async {
        #expect(await proxy().respond(to: request(host: host)).status == 200)
    }

    @Test(arguments: [
        "api.example.com", "evil.example:8123", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1",
    ])
    func `attack: DNS rebinding with another host`(_ host: String) async {
        let answer = await proxy().respond(to: request(host: host))
        #expect(answer.status == 403 && text(answer).contains("Host"))
        #expect(sent.all.isEmpty)
    }

    @Test(arguments: ["https://evil.example", "null", "http://localhost"])
    func `attack: a request of a web page, even of one that knows the secret`(_ origin: String) async {
        let fields: HTTPFields = ["Origin": origin, "Keybound-Proxy-Secret": Self.secret]
        let answer = await proxy(secret: Self.secret).respond(to: request("GET", "/notes", fields))
        #expect(answer.status == 403 && text(answer).contains("Origin"))
        #expect(await proxy().respond(to: request("GET", "/notes", fields)).status == 403)
        #expect(sent.all.isEmpty)
    }

    @Test func `attack: a port without the secret`() async {
        let proxy = proxy(secret: Self.secret)
        for values in [[], [""], ["x"], [Self.secret + "x"], [Self.secret, Self.secret], ["x", Self.secret]] {
            let fields = HTTPFields(values.map { HTTPFields.Field(name: ProxyEntrance.field, value: $0) })
            let answer = await proxy.respond(to: request("GET", "/notes", fields, isFromUnixSocket: false))
            #expect(answer.status == 403 && text(answer).contains(ProxyEntrance.field))
            #expect(!text(answer).contains(Self.secret))
        }
        #expect(sent.all.isEmpty)
        let fields: HTTPFields = ["keybound-proxy-secret": Self.secret]
        #expect(await proxy.respond(to: request("GET", "/", fields, isFromUnixSocket: false)).status == 200)
        // Without a secret, only the mode of the socket says who may connect.
        #expect(await self.proxy().respond(to: request(isFromUnixSocket: false)).status == 403)
    }

    @Test(arguments: ["TRACE", "CONNECT", "trace"])
    func `RFC 9110 section 9 3 8: no response shows the token`(_ method: String) async {
        #expect(await proxy().respond(to: request(method)).status == 501)
        #expect(sent.all.isEmpty)
    }

    @Test(arguments: [
        "https://elsewhere.example/", "elsewhere.example:443", "*", "/a|b", "/%zz", "/a\\b", "//elsewhere.example/",
    ])
    func `what is not a path and a query of the origin is rejected`(_ target: String) async {
        #expect(await proxy().respond(to: request("GET", target)).status == 400)
        #expect(sent.all.isEmpty)
    }

    @Test(arguments: ["/@elsewhere.example", "/https://elsewhere.example"])
    func `attack: a path does not change the host`(_ target: String) async throws {
        _ = await proxy().respond(to: request("GET", target))
        let forwarded = try #require(sent.all.first)
        #expect(try URI(parsing: forwarded.target).origin == "https://api.example.com")
        #expect(forwarded.target.hasSuffix(target))
    }

    @Test func `without a session, the program is told what to run`() async {
        let failure = OAuthClientError(.sessionEnded, "the session is over; sign in again")
        let answer = await proxy(failure: failure).respond(to: request())
        #expect(answer.status == 502)
        #expect(
            text(answer) == """
                keybound proxy: the session is over; sign in again
                start keybound proxy again; if you are not signed in, or the API demands it, sign in first: \
                keybound login https://auth.example.com --client-id my-app

                """
        )
        #expect(answer.fields["Content-Type"] == "text/plain; charset=utf-8")
    }

    @Test func `what else goes wrong is said too, cleaned`() async {
        let failure = OAuthClientError(.transportFailed, "nothing\u{1B}[31m answers")
        let answer = await proxy(failure: failure).respond(to: request())
        #expect(answer.status == 502)
        #expect(text(answer) == "keybound proxy: nothing\\u{1b}[31m answers\n")
    }
}
