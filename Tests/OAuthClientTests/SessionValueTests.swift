// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthTransport
import SocketSupport
import Synchronization
import Testing

@testable import OAuthClient

@Suite("Calls of a session as values, over real sockets", .timeLimit(.minutes(1)))
struct SessionValueTests {
    private func demand(_ nonce: String) -> HTTPResponse {
        var response = HTTPResponse.challenge(#"DPoP error="use_dpop_nonce""#)
        response.fields["DPoP-Nonce"] = nonce
        return response
    }

    private func path() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    }

    private func request(_ api: SocketAPI, _ path: String, method: String = "GET", body: String = "") -> HTTPRequest {
        HTTPRequest(
            method: method,
            target: api.base + path,
            fields: ["X-Twice": "1", "X-Twice": "2"],
            body: Array(body.utf8)
        )
    }

    @Test func `a request is sent once more with the nonce, and the response is a value`() async throws {
        let api = try await SocketAPI { seen, number in
            number == 1
                ? demand("n1") : HTTPResponse(status: 201, fields: ["X-A": "b"], body: seen.request.body)
        }
        let response = try await api.session.send(request(api, "/a?b=c", method: "PUT", body: "body"))
        #expect(response.status == 201)
        #expect(response.fields["x-a"] == "b")
        #expect(response.body == Array("body".utf8))
        #expect(api.seen.map(\.proof?.nonce) == [nil, "n1"])
        #expect(api.seen.allSatisfy { $0.request.method == "PUT" && $0.request.target == "/a?b=c" })
        #expect(api.seen[0].request.fields.values(for: "X-Twice") == ["1", "2"])
    }

    @Test func `a response that is longer than the caller allows is an error`() async throws {
        let api = try await SocketAPI { _, _ in HTTPResponse(status: 200, body: [1, 2, 3]) }
        #expect(try await api.session.send(request(api, "/a"), maximumBodySize: 3).body == [1, 2, 3])
        let error = await clientError { _ = try await api.session.send(request(api, "/a"), maximumBodySize: 2) }
        #expect(error?.code == .transportFailed)
        #expect(error?.reason.contains("2 bytes") == true)
    }

    @Test func `a body is read as it comes`() async throws {
        let body = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let api = try await SocketAPI { _, _ in HTTPResponse(status: 200, body: body) }
        let response = try await api.session.bytes(for: request(api, "/a"))
        #expect(response.status == 200)
        var received: [UInt8] = []
        for try await chunk in response.body.chunks { received += chunk }
        #expect(received == body)
    }

    @Test func `a file is sent by its path, and anew when the request is`() async throws {
        let api = try await SocketAPI { $1 == 1 ? demand("n1") : HTTPResponse(status: 200, body: $0.request.body) }
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let file = path()
        try Data(body).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let response = try await api.session.send(request(api, "/a", method: "POST"), body: .file(path: file))
        #expect(response.body == body)
        #expect(api.seen.map { $0.request.body == body } == [true, true])
        let error = await clientError {
            _ = try await api.session.send(request(api, "/a", method: "POST"), body: .file(path: "/nowhere"))
        }
        #expect(error?.code == .invalidArgument)
        #expect(api.seen.count == 2)
    }

    @Test func `a stream is never sent twice`() async throws {
        let api = try await SocketAPI { _, _ in demand("n1") }
        let rest = Mutex(["on", "ce"][...])
        let stream = RequestBodyStream { rest.withLock { $0.popFirst() }.map { Array($0.utf8) } }
        let error = await clientError {
            _ = try await api.session.send(request(api, "/a", method: "POST"), body: .stream(stream, length: 4))
        }
        #expect(error?.code == .bodyNotReplayable)
        #expect(api.seen.map(\.request.body) == [Array("once".utf8)])
    }

    @Test func `a body is written to a new file for the user alone, and to none that is there`() async throws {
        let api = try await SocketAPI { _, _ in HTTPResponse(status: 200, fields: ["X-A": "b"], body: [1, 2, 3]) }
        let file = path()
        defer { try? FileManager.default.removeItem(atPath: file) }
        let response = try await api.session.download(for: request(api, "/a"), to: file)
        #expect(response.status == 200)
        #expect(response.fields["X-A"] == "b")
        #expect(response.body.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: file)) == Data([1, 2, 3]))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        for path in [file, "/nowhere/at/all"] {
            let error = await clientError { _ = try await api.session.download(for: request(api, "/a"), to: path) }
            #expect(error?.code == .storageFailed)
        }
        #expect(try Data(contentsOf: URL(filePath: file)) == Data([1, 2, 3]))
    }

    @Test func `the time-out of a request counts, and a cancelled one ends`() async throws {
        let gate = Gate()
        let api = try await SocketAPI { _, _ in
            await gate.pass()
            return HTTPResponse(status: 200)
        }
        let late = await clientError {
            _ = try await api.session.send(request(api, "/a"), timeout: .seconds(1))
        }
        #expect(late?.code == .transportFailed)
        #expect(late?.reason.contains("in time") == true)
        let task = Task { await clientError { _ = try await api.session.bytes(for: request(api, "/b")) } }
        // The first one may have been given up before it was sent.
        while !api.seen.contains(where: { $0.request.target == "/b" }) { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        await gate.open()
    }

    @Test(arguments: ["", "/relative", "http://api.example/", "https://a:b@api.example/"])
    func `a target that no token may be sent to is rejected`(_ target: String) async throws {
        let api = try await SocketAPI { _, _ in HTTPResponse(status: 200) }
        let error = await clientError { _ = try await api.session.send(HTTPRequest(target: target)) }
        #expect(error?.code == (target.hasPrefix("http:") ? .insecureURL : .invalidArgument))
        #expect(api.seen.isEmpty)
    }
}
