// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthCore
import SocketSupport
import Testing

@testable import OAuthTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The transports, over real sockets", .timeLimit(.minutes(2)))
struct TransportTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

    private func error(_ operation: () async throws -> Void) async -> OAuthCoreError? {
        do {
            try await operation()
            return nil
        } catch {
            return error as? OAuthCoreError
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func `sends method, fields and body, and brings back status, fields and body`(_ kind: TestedTransport) async throws
    {
        let server = try TinyServer([
            "/token": .bytes(
                "HTTP/1.1 400 Bad Request\r\nDPoP-Nonce: n1\r\nX-A: 1\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbad"
            )
        ])
        let request = HTTPRequest(
            method: "POST",
            target: server.base + "/token",
            fields: ["Content-Type": "application/x-www-form-urlencoded", "DPoP": "proof"],
            body: Array("a=b%2B".utf8)
        )
        let response = try await kind.make().send(request, maximumBodySize: 100)
        #expect(response.status == 400)
        #expect(response.fields["dpop-nonce"] == "n1")
        #expect(response.body == Array("bad".utf8))
        let sent = try #require(server.requests.first)
        #expect(sent.hasPrefix("POST /token HTTP/1.1\r\n"))
        // URLSession on Linux writes names in its own case; they are compared case-insensitively.
        #expect(sent.lowercased().contains("\r\ndpop: proof\r\n"))
        #expect(sent.hasSuffix("\r\n\r\na=b%2B"))
    }

    @Test(arguments: TestedTransport.allCases, [301, 302, 303, 307, 308])
    func `trap 22: a redirect is returned and nothing goes to the other place`(
        _ kind: TestedTransport,
        _ status: Int
    ) async throws {
        let other = try TinyServer(["/stolen": .bytes(Self.ok)])
        let server = try TinyServer([
            "/token": .bytes(
                "HTTP/1.1 \(status) Moved\r\nLocation: \(other.base)/stolen\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
        ])
        let request = HTTPRequest(
            method: "POST",
            target: server.base + "/token",
            fields: ["Authorization": "DPoP token", "DPoP": "proof"],
            body: Array("a=b".utf8)
        )
        let response = try await kind.make().send(request, maximumBodySize: 100)
        #expect(response.status == status)
        #expect(server.requests.count == 1)
        #expect(other.requests.isEmpty)
    }

    @Test(arguments: TestedTransport.allCases)
    func `cookies are not kept and the cache is not asked`(_ kind: TestedTransport) async throws {
        let answer =
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nCache-Control: max-age=60\r\nContent-Length: 0\r\n"
            + "Connection: close\r\n\r\n"
        let server = try TinyServer(["/": .bytes(answer)])
        let transport = kind.make()
        for _ in 0..<2 { _ = try await transport.send(HTTPRequest(target: server.base + "/"), maximumBodySize: 100) }
        #expect(server.requests.count == 2)
        #expect(!server.requests[1].lowercased().contains("cookie"))
    }

    @Test(arguments: TestedTransport.allCases)
    func `a challenge is returned, not answered`(_ kind: TestedTransport) async throws {
        let challenges = "WWW-Authenticate: Basic realm=\"x\"\r\nWWW-Authenticate: DPoP error=\"use_dpop_nonce\"\r\n"
        let answer = "HTTP/1.1 401 Unauthorized\r\n\(challenges)Content-Length: 2\r\nConnection: close\r\n\r\nno"
        let server = try TinyServer(["/": .bytes(answer)])
        let response = try await kind.make().send(
            HTTPRequest(target: server.base + "/"),
            maximumBodySize: 100
        )
        #expect(response.status == 401)
        #expect(response.body == Array("no".utf8))
        let parsed = try Challenge.parse(response.fields.values(for: "WWW-Authenticate"))
        #expect(parsed.map(\.scheme) == ["Basic", "DPoP"])
        #expect(server.requests.count == 1)
    }

    @Test(arguments: TestedTransport.allCases)
    func `trap 24: receiving stops when the body is too large`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/": .endless])
        let error = await error {
            _ = try await kind.make().send(HTTPRequest(target: server.base + "/"), maximumBodySize: 1000)
        }
        #expect(error?.code == .transportFailed)
        #expect(error?.reason.contains("1000 bytes") == true)
    }

    @Test(arguments: TestedTransport.allCases)
    func `a body of exactly the limit is accepted, one byte less is not`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/": .bytes(Self.ok)])
        let request = HTTPRequest(target: server.base + "/")
        #expect(try await kind.make().send(request, maximumBodySize: 2).body.count == 2)
        #expect(await error { _ = try await kind.make().send(request, maximumBodySize: 1) } != nil)
    }

    @Test(arguments: TestedTransport.allCases)
    func `a server that does not answer is given up`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/": .silence])
        let error = await error {
            let transport = kind.make(timeout: .seconds(1))
            _ = try await transport.send(HTTPRequest(target: server.base + "/?code=secret"), maximumBodySize: 100)
        }
        #expect(error?.code == .transportFailed)
        #expect(error?.reason.contains("in time") == true)
        #expect("\(String(describing: error?.underlying))".contains("secret") == false)
    }

    @Test(arguments: TestedTransport.allCases)
    func `cancelling the task ends the request`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/": .silence])
        let task = Task {
            await error {
                _ = try await kind.make().send(HTTPRequest(target: server.base + "/"), maximumBodySize: 100)
            }
        }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
    }

    @Test(arguments: TestedTransport.allCases)
    func `a task that is cancelled already sends nothing for long`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/": .silence])
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await error {
                _ = try await kind.make().send(HTTPRequest(target: server.base + "/"), maximumBodySize: 100)
            }
        }
        #expect(await task.value?.code == .cancelled)
    }

    @Test(arguments: TestedTransport.allCases)
    func `a request that is cancelled at any moment ends`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/": .bytes(Self.ok)])
        let transport = kind.make()
        for round in 0..<100 {
            let task = Task {
                await error {
                    _ = try await transport.send(HTTPRequest(target: server.base + "/"), maximumBodySize: 100)
                }
            }
            if round % 2 == 0 { await Task.yield() }
            task.cancel()
            let code = await task.value?.code
            #expect(code == nil || code == .cancelled)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `URLSession: a request that was cancelled before it starts ends, and nothing is sent`()
        async throws
    {
        let server = try TinyServer(["/": .bytes(Self.ok)])
        let router = URLSessionTaskRouter()
        let session = URLSession(configuration: .ephemeral, delegate: router, delegateQueue: nil)
        let task = session.dataTask(with: try #require(URL(string: server.base + "/")))
        router.cancel(task)
        try await Task.sleep(for: .milliseconds(20))
        let error = await error {
            _ = try await withCheckedThrowingContinuation {
                router.run(task, body: ResponseBuffer(maximumSize: 100), $0)
            }
        }
        #expect(error?.code == .cancelled)
        #expect(server.requests.isEmpty)
        session.invalidateAndCancel()
    }

    @Test(.timeLimit(.minutes(1)))
    func `URLSession: a request whose body fails before it starts ends with that error, and nothing is sent`()
        async throws
    {
        let server = try TinyServer(["/": .bytes(Self.ok)])
        let router = URLSessionTaskRouter()
        let session = URLSession(configuration: .ephemeral, delegate: router, delegateQueue: nil)
        let task = session.dataTask(with: try #require(URL(string: server.base + "/")))
        let exchange = URLSessionExchange(task: task, router: router, maximumUnreadSize: 100)
        exchange.giveUp(OAuthCoreError(.invalidRequest, "the body cannot be read"))
        // The first reason is the one that the caller learns.
        exchange.giveUp()
        let error = await error { _ = try await exchange.head() }
        #expect(error?.reason == "the body cannot be read")
        try await Task.sleep(for: .milliseconds(20))
        #expect(server.requests.isEmpty)
        session.invalidateAndCancel()
    }

    @Test(arguments: TestedTransport.allCases)
    func `nobody at the address is reported with host and port, and without the URL`(
        _ kind: TestedTransport
    ) async throws {
        let server = try TinyServer([:])
        let free = server.base.replacing("127.0.0.1", with: "127.0.0.2")
        let error = await error {
            _ = try await kind.make().send(HTTPRequest(target: free + "/secret?code=secret"), maximumBodySize: 100)
        }
        #expect(error?.code == .transportFailed)
        #expect(error?.reason == "cannot connect to \(free.dropFirst("http://".count)); is the server running?")
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test(arguments: TestedTransport.allCases)
    func `trap 42: a body stream is sent as it is`(_ kind: TestedTransport) async throws {
        let server = try TinyServer(["/api": .bytes(Self.ok)])
        let request = HTTPRequest(method: "POST", target: server.base + "/api", fields: ["Content-Length": "8"])
        let body = RequestBody.stream(.pieces("str", "", "eamed"), length: 8)
        let response = try await kind.make().open(request, body: body, timeout: nil)
        #expect(response.status == 200)
        #expect(try await response.body.whole() == Array("ok".utf8))
        let sent = try #require(server.requests.first)
        #expect(sent.contains("streamed"))
        // Not both: the boundary between this body and the next request must be unambiguous.
        #expect(sent.lowercased().contains("content-length") != sent.lowercased().contains("transfer-encoding"))
    }
}
