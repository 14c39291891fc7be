// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthSystem
import OAuthTransport
import Testing

@testable import OAuthClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("What an app says in a URLRequest, over real sockets", .timeLimit(.minutes(1)))
struct URLRequestTests {
    @Test func `fields, method and body go out, and the response has its URL, its status and its fields`() async throws
    {
        let api = try await SocketAPI { seen, _ in
            HTTPResponse(status: 207, fields: ["X-A": "1", "X-A": "2", "Content-Type": "a/b"], body: seen.request.body)
        }
        var request = try api.request("/a?b=%2F", method: "REPORT")
        request.setValue("c", forHTTPHeaderField: "X-B")
        request.httpBody = Data("body".utf8)
        let (body, response) = try await api.session.data(for: request)
        #expect(body == Data("body".utf8))
        let head = try #require(response as? HTTPURLResponse)
        #expect(head.statusCode == 207)
        #expect(head.url == request.url)
        #expect(head.mimeType == "a/b")
        #expect(head.value(forHTTPHeaderField: "x-a") == "1, 2")
        let seen = try #require(api.seen.first?.request)
        #expect(seen.method == "REPORT")
        #expect(seen.target == "/a?b=%2F")
        #expect(seen.fields["X-B"] == "c")
    }

    @Test func `after a redirect the response has the URL that it comes from`() async throws {
        let api = try await SocketAPI(followingRedirects: true) { _, number in
            number == 1 ? HTTPResponse(status: 302, fields: ["Location": "../ü b"]) : HTTPResponse(status: 200)
        }
        let (_, response) = try await api.session.data(for: api.request("/a/c"))
        #expect(response.url?.absoluteString == api.base + "/%C3%BC%20b")
        let (_, head) = try await api.session.bytes(for: api.request("/a/c"))
        #expect(head.url?.absoluteString == api.base + "/a/c")
    }

    @Test func `the time-out of a request counts`() async throws {
        let gate = Gate()
        let api = try await SocketAPI { _, _ in
            await gate.pass()
            return HTTPResponse(status: 200)
        }
        var request = try api.request("/a")
        request.timeoutInterval = 1
        let error = await clientError { [request] in _ = try await api.session.data(for: request) }
        #expect(error?.code == .transportFailed)
        #expect(error?.reason.contains("in time") == true)
        await gate.open()
    }

    @Test(
        arguments: [
            (60, nil), (0, nil), (-1, nil), (.nan, nil), (0.5, .milliseconds(500)), (61, .seconds(61)),
            (.infinity, .seconds(1_000_000_000)), (.greatestFiniteMagnitude, .seconds(1_000_000_000)),
        ] as [(Double, Duration?)]
    )
    func `a time-out is what somebody set`(_ interval: Double, _ expected: Duration?) throws {
        var request = URLRequest(url: try #require(URL(string: "https://api.example/")))
        request.timeoutInterval = interval
        #expect(request.timeout == expected)
    }

    @Test func `a stream that has nothing yet holds nobody up`() async throws {
        let api = try await SocketAPI { HTTPResponse(status: $1 > 0 ? 200 : 500, body: $0.request.body) }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let made = unsafe mkfifo(path, 0o600)
        try #require(made == 0)
        defer { unsafe unlink(path) }
        var request = try api.request("/a", method: "POST")
        request.httpBodyStream = InputStream(fileAtPath: path)
        let upload = Task { [request] in try await api.session.data(for: request).0 }
        let (_, response) = try await api.session.data(for: api.request("/b"))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        try await BlockingWork.run {
            try FileHandle(forWritingTo: URL(filePath: path)).write(contentsOf: Data("late".utf8))
        }
        #expect(try await upload.value == Data("late".utf8))
    }

    @Test func `a stream that cannot be read is an error, and never an empty body`() async throws {
        let api = try await SocketAPI { _, _ in HTTPResponse(status: 200) }
        var request = try api.request("/a", method: "POST")
        request.httpBodyStream = InputStream(fileAtPath: "/nowhere/at/all")
        let error = await clientError { [request] in _ = try await api.session.data(for: request) }
        #expect(error?.code == .transportFailed)
        #expect(api.seen.isEmpty)
    }

    @Test func `a request without an URL of a file, or without any URL, is rejected`() async throws {
        let api = try await SocketAPI { _, _ in HTTPResponse(status: 200) }
        let page = try #require(URL(string: "https://api.example/file"))
        var none = try api.request("/a", method: "POST")
        let file = await clientError { [none] in _ = try await api.session.upload(for: none, fromFile: page) }
        #expect(file?.code == .invalidArgument)
        none.url = nil
        let url = await clientError { [none] in _ = try await api.session.data(for: none) }
        #expect(url?.code == .invalidArgument)
        #expect(api.seen.isEmpty)
    }
}
