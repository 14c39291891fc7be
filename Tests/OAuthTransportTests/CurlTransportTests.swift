// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc
import HTTPMessage
import HTTPServer
import OAuthClient
import OAuthCore
import OAuthSystem
import SocketSupport
import Synchronization
import TestSupport
import Testing

@testable import OAuthTransport

@Suite("The transport on libcurl: TLS, proxies, slow readers", .timeLimit(.minutes(2)))
struct CurlTransportTests {
    private func transport(
        to server: PythonServer,
        _ configure: (inout CurlTransportConfiguration) -> Void = { _ in }
    ) -> CurlTransport {
        var configuration = CurlTransportConfiguration()
        configuration.certificateAuthorityFile = server.authorityFile
        configuration.proxy = ""
        configure(&configuration)
        return CurlTransport(configuration)
    }

    private func send(
        _ transport: CurlTransport,
        _ server: PythonServer,
        method: String = "GET",
        body: String = ""
    ) async throws(OAuthCoreError) -> HTTPResponse {
        let request = HTTPRequest(method: method, target: server.base + "/a?code=secret", body: Array(body.utf8))
        return try await transport.send(request, maximumBodySize: 100)
    }

    private func failure(
        _ transport: CurlTransport,
        _ server: PythonServer,
        method: String = "GET",
        body: String = ""
    )
        async -> OAuthCoreError?
    {
        do throws(OAuthCoreError) {
            _ = try await send(transport, server, method: method, body: body)
            return nil
        } catch {
            return error
        }
    }

    // MARK: TLS

    @Test func `a server that an authority of the app certifies is trusted, by nobody else`() async throws {
        let server = try await PythonServer(.tls)
        #expect(try await send(transport(to: server), server).body == Array("ok".utf8))
        let error = await failure(transport(to: server) { $0.certificateAuthorityFile = nil }, server)
        #expect(error?.reason == "the certificate of the server is not trusted")
        #expect(try await server.events(1) == ["GET /a?code=secret HTTP/1.1"])
    }

    @Test(arguments: [PythonServer.Conduct.otherName, .oldTLS, .weakCipher])
    func `another name, an old version of TLS and a weak cipher are rejected`(
        _ conduct: PythonServer.Conduct
    ) async throws {
        let server = try await PythonServer(conduct)
        let error = await failure(transport(to: server), server)
        #expect(error?.code == .transportFailed)
        #expect(error?.reason.contains("secret") == false)
        #expect(server.events.isEmpty)
    }

    @Test func `TLS 1 3 alone can be demanded`() async throws {
        let server = try await PythonServer(.tls)
        let response = try await send(transport(to: server) { $0.minimumTLSVersion = .tls13 }, server)
        #expect(response.status == 200)
        let old = try await PythonServer(.weakCipher)
        #expect(await failure(transport(to: old) { $0.minimumTLSVersion = .tls13 }, old) != nil)
    }

    @Test func `RFC 8705: the client certificate is presented in the handshake`() async throws {
        let server = try await PythonServer(.clientCertificate)
        let identity = ClientCertificate(
            certificate: server.clientCertificate.certificate,
            privateKey: server.clientCertificate.key
        )
        let presenting = transport(to: server) { $0.clientCertificate = identity }
        #expect(presenting.presentsClientCertificate)
        #expect(try await send(presenting, server).status == 200)
        #expect(try await server.events(1) == ["GET /a?code=secret HTTP/1.1 by my-app"])
        let bare = transport(to: server)
        #expect(!bare.presentsClientCertificate)
        #expect(await failure(bare, server)?.code == .transportFailed)
        #expect(server.events.count == 1)
        #expect(!"\(identity)".contains("PRIVATE KEY"))
    }

    @Test func `a certificate that is none, and a missing file of authorities, are errors before anything is sent`()
        async throws
    {
        let server = try await PythonServer(.tls)
        let nonsense = ClientCertificate(certificate: Array("x".utf8), privateKey: Array("y".utf8))
        let error = await failure(transport(to: server) { $0.clientCertificate = nonsense }, server)
        #expect(error?.reason == "the client certificate or its key cannot be used")
        let missing = await failure(transport(to: server) { $0.certificateAuthorityFile = "/nowhere" }, server)
        #expect(missing?.reason == "the file of certificate authorities cannot be read")
        #expect(server.events.isEmpty)
    }

    @Test func `a key that is encrypted is an error, and nobody is asked for a passphrase`() async throws {
        let server = try await PythonServer(.clientCertificate)
        let locked = ClientCertificate(
            certificate: server.clientCertificate.certificate,
            privateKey: server.lockedKey
        )
        let error = await failure(transport(to: server) { $0.clientCertificate = locked }, server)
        #expect(error?.reason == "the client certificate or its key cannot be used")
        #expect(server.events.isEmpty)
    }

    // MARK: Proxies

    @Test func `a proxy sees the name of the server and nothing else`() async throws {
        let server = try await PythonServer(.tls)
        let response = try await send(transport(to: server) { $0.proxy = server.proxy }, server)
        #expect(response.body == Array("ok".utf8))
        // The proxy's own response head is not part of the response.
        #expect(response.fields["X-Proxy"] == nil)
        let address = server.base.dropFirst("https://".count)
        #expect(try await server.events(2) == ["CONNECT \(address) HTTP/1.1", "GET /a?code=secret HTTP/1.1"])
    }

    // MARK: Reused connections

    @Test func `what a server may have acted on is not sent again by itself`() async throws {
        let server = try await PythonServer(.closesAfterSecond)
        let transport = transport(to: server)
        _ = try await send(transport, server, method: "POST", body: "code=1")
        let error = await failure(transport, server, method: "POST", body: "code=2")
        #expect(error?.reason == "the connection broke off")
        #expect(try await server.events(2).count == 2)
    }

    @Test func `what a server may have acted on is not sent again without a body either`() async throws {
        let server = try await PythonServer(.closesAfterSecond)
        let transport = transport(to: server)
        for _ in 0..<2 { #expect(try await send(transport, server, method: "POST").status == 200) }
        #expect(try await server.events(2).count == 2)
    }

    @Test func `a GET is sent again when the connection was closed meanwhile`() async throws {
        let server = try await PythonServer(.closesAfterSecond)
        let transport = transport(to: server)
        for _ in 0..<2 { #expect(try await send(transport, server).status == 200) }
        #expect(try await server.events(3).count == 3)
    }

    // MARK: Bodies

    @Test func `a body that is read slowly makes the server wait, and arrives whole`() async throws {
        let body = (0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let listener = try HTTPListener(port: 0) { _ in HTTPResponse(status: 200, body: body) }
        let request = HTTPRequest(target: "http://127.0.0.1:\(listener.port)/")
        // The test holds no reference to the transport while it reads the response.
        let bytes = try await CurlTransport().open(request, body: .inMemory, timeout: nil).body
        var received: [UInt8] = []
        for try await chunk in bytes.chunks {
            if received.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
            // The maximum of unread bytes, regardless of the size of the body.
            #expect(chunk.count <= 262_144)
            received += chunk
        }
        #expect(received == body)
        await listener.stop(draining: .zero)
    }

    @Test func `a stream that has nothing yet holds nobody up`() async throws {
        let server = try TinyServer(["/": .http(200, [], "ok")])
        let transport = CurlTransport()
        let late = AsyncStream<[UInt8]>.makeStream()
        let pieces = Mutex(0)
        let stream = RequestBodyStream {
            let isFirst = pieces.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return nil }
            return await late.stream.first { _ in true }
        }
        let request = HTTPRequest(method: "POST", target: server.base + "/")
        let upload = Task {
            try await transport.open(request, body: .stream(stream, length: nil), timeout: nil).status
        }
        let other = HTTPRequest(target: server.base + "/")
        #expect(try await transport.send(other, maximumBodySize: 10).status == 200)
        late.continuation.yield(Array("late".utf8))
        #expect(try await upload.value == 200)
        #expect(server.requests.contains { $0.hasPrefix("POST") && $0.contains("late") })
    }

    @Test func `a stream with another length than was said is an error`() async throws {
        let server = try TinyServer(["/": .http(200, [], "ok")])
        let request = HTTPRequest(method: "POST", target: server.base + "/")
        let body = RequestBody.stream(.pieces("short"), length: 500)
        let error = await transportError { _ = try await CurlTransport().open(request, body: body, timeout: nil) }
        #expect(error?.code == .transportFailed)
    }

    @Test func `what a stream has beyond its length never becomes another request`() async throws {
        let server = try TinyServer(["/": .http(200, [], "ok")])
        let request = HTTPRequest(method: "POST", target: server.base + "/")
        let body = RequestBody.stream(.pieces("1234GET /smuggled HTTP/1.1\r\n\r\n"), length: 4)
        let error = await transportError { _ = try await CurlTransport().open(request, body: body, timeout: nil) }
        #expect(error?.code == .transportFailed)
        #expect(server.requests.allSatisfy { !$0.contains("smuggled") })
    }

    @Test func `a file that grows is sent as long as it was, one that shrinks is an error`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let request = HTTPRequest(method: "PUT", target: "https://api.example/")
        func upload() throws -> CurlUpload {
            let opened = try #require(RegularFile(file.path))
            return CurlUpload(try CurlRequest(request, body: .file(opened)), onMore: {})
        }
        try Data("12345678".utf8).write(to: file)
        let growing = try upload()
        try Data("12345678GET / HTTP/1.1".utf8).write(to: file)
        #expect(growing.take(5) == .bytes(Array("12345".utf8)))
        #expect(growing.take(5) == .bytes(Array("678".utf8)))
        #expect(growing.take(5) == .end)
        #expect(growing.seek(to: 6))
        #expect(growing.take(5) == .bytes(Array("78".utf8)))
        let shrinking = try upload()
        try Data("1234".utf8).write(to: file)
        #expect(shrinking.take(5) == .bytes(Array("1234".utf8)))
        #expect(shrinking.take(5) == .failure)
    }

    @Test func `a reader who is cancelled ends the request, also while the body is still held`() async throws {
        let listener = try #require(LoopbackListener.onIPv4(port: 0))
        let request = HTTPRequest(target: "http://\(listener.authority)/")
        async let isAbandoned = BlockingWork.run { () -> Bool in
            guard LoopbackSocket.wait(for: [listener.listening], milliseconds: 60_000) == [0],
                let connection = listener.listening.acceptConnection(),
                LoopbackSocket.wait(for: [connection], milliseconds: 60_000) == [0], connection.receive() != nil,
                connection.transmit(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            else { return false }
            // A minute: the other program has to start first.
            for _ in 0..<6_000 {
                if LoopbackSocket.wait(for: [connection], milliseconds: 10) == [0] { return true }
                guard connection.transmit([65]) else { return true }
            }
            return false
        }
        let bytes = try await CurlTransport().open(request, body: .inMemory, timeout: nil).body
        // A program that is started meanwhile does not inherit the connection. It outlives the wait above.
        let other = try ChildProcess(
            "/usr/bin/env",
            ["sleep", "600"],
            environment: ["PATH": "/usr/bin:/bin"],
            directory: "/"
        )
        defer { other.terminate() }
        let reading = Task { for try await _ in bytes.chunks {} }
        try await Task.sleep(for: .milliseconds(50))
        reading.cancel()
        #expect(try await isAbandoned)
        withExtendedLifetime(bytes) {}
    }

    @Test(arguments: ["X: a\r\nB: c", "a\nb", "a\u{0}b"])
    func `a field that would make two of one is rejected`(_ value: String) async throws {
        let request = HTTPRequest(target: "http://127.0.0.1:1/", fields: ["X": value])
        let error = await #expect(throws: OAuthCoreError.self) {
            _ = try await CurlTransport().send(request, maximumBodySize: 10)
        }
        #expect(error?.reason.contains("character") == true)
    }

    @Test(arguments: [
        "ftp://127.0.0.1/", "file:///etc/passwd", "http://user:pw@127.0.0.1:1/", "http://127.0.0.1:1/a b", "",
    ])
    func `what is no plain URL of http or https is rejected`(_ url: String) async {
        await #expect(throws: OAuthCoreError.self) {
            _ = try await CurlTransport().send(HTTPRequest(target: url), maximumBodySize: 10)
        }
    }

    @Test func `path and query go out as they are, encodings, dot segments and all`() async throws {
        let server = try TinyServer([:])
        let path = "/a/../b/./c%2Fd/%2d%7e%c3%bc//?q=%20+%2d/../"
        _ = try await CurlTransport().send(HTTPRequest(target: server.base + path), maximumBodySize: 10)
        #expect(server.requests.first?.hasPrefix("GET \(path) HTTP/1.1\r\n") == true)
    }

    @Test(arguments: [
        ("https://API.Example:0443/A%2d?B%2d#C", "https://api.example/A%2d?B%2d"),
        ("http://A.example", "http://a.example"),
        ("https://[2001:DB8:0::1]:8443?a?b", "https://[2001:db8::1]:8443?a?b"),
        ("http://a.example:80/?", "http://a.example/?"),
    ])
    func `scheme, host and port are those of the proof`(_ url: String, _ sent: String) throws {
        #expect(try CurlRequest(HTTPRequest(target: url), limit: .seconds(1)).url == sent)
    }

    @Test func `a thousand requests at once come back, each with its own answer`() async throws {
        // Neither side may take a busy machine for a lost connection.
        var (limits, configuration) = (HTTPListenerLimits(), CurlTransportConfiguration())
        limits.headTimeout = .seconds(600)
        limits.trustedKeepAliveTimeout = .seconds(600)
        limits.answerTimeout = .seconds(600)
        configuration.timeout = .seconds(600)
        configuration.exchangeTimeout = .seconds(600)
        let listener = try HTTPListener(port: 0, limits: limits) {
            HTTPResponse(status: 200, body: Array($0.target.utf8))
        }
        let base = "http://127.0.0.1:\(listener.port)"
        let transport = CurlTransport(configuration)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let request = HTTPRequest(target: base + "/\(number)")
                    return try await transport.send(request, maximumBodySize: 100).body == Array("/\(number)".utf8)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        await listener.stop(draining: .zero)
    }
}
#endif
