// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthCore
import OAuthTransport
import SocketSupport
import StrictJSON
import Synchronization
import Testing

@testable import OAuthClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Calls of a session over real sockets", .timeLimit(.minutes(2)))
struct SocketCallTests {
    private static let refused = HTTPResponse.challenge(#"Bearer realm="x", DPoP error="invalid_token""#)

    private static func demand(_ nonce: String) -> HTTPResponse {
        var response = HTTPResponse.challenge(#"Bearer realm="x", DPoP error="use_dpop_nonce", algs="ES256""#)
        response.fields["DPoP-Nonce"] = nonce
        return response
    }

    private func status(_ response: URLResponse) -> Int? {
        (response as? HTTPURLResponse)?.statusCode
    }

    private func open(
        _ url: String,
        _ transport: any ClientTransport = PlatformTransport()
    ) async throws -> StreamedResponse {
        try await transport.open(HTTPRequest(target: url), body: .inMemory, timeout: nil)
    }

    private func temporaryFile(_ content: Data) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try content.write(to: url)
        return url
    }

    // MARK: Uploads

    @Test func `trap 37 and 42: an upload is sent once more with the nonce, body and all`() async throws {
        let api = try await SocketAPI { $1 == 1 ? Self.demand("n1") : HTTPResponse(status: 201, body: $0.request.body) }
        let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let (answer, response) = try await api.session.upload(for: api.request("/a", method: "PUT"), from: body)
        #expect(status(response) == 201)
        #expect(answer == body)
        #expect(api.seen.map(\.proof?.nonce) == [nil, "n1"])
        #expect(api.seen.allSatisfy { $0.request.body == [UInt8](body) && $0.proof != nil })
    }

    @Test func `trap 42: a file is read anew for each time it is sent`() async throws {
        let api = try await SocketAPI { seen, number in
            number == 1 ? Self.demand("n1") : number == 2 ? Self.refused : HTTPResponse(status: 200)
        }
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let file = try temporaryFile(body)
        defer { try? FileManager.default.removeItem(at: file) }
        let (_, response) = try await api.session.upload(for: api.request("/a", method: "POST"), fromFile: file)
        #expect(status(response) == 200)
        try #require(api.seen.count == 3)
        #expect(api.seen.allSatisfy { $0.request.body == [UInt8](body) })
        #expect(api.seen[1].token != api.seen[2].token)
        #expect(api.seen.allSatisfy { $0.proof != nil })
        #expect(await api.fixture.server.refreshes == 1)
    }

    @Test func `a file that cannot be read is rejected before anything is sent`() async throws {
        let api = try await SocketAPI { _, _ in HTTPResponse(status: 200) }
        for path in ["/nowhere/at/all", FileManager.default.temporaryDirectory.path] {
            let error = await clientError {
                _ = try await api.session.upload(for: api.request("/a", method: "POST"), fromFile: URL(filePath: path))
            }
            #expect(error?.code == .invalidArgument)
        }
        #expect(api.seen.isEmpty)
    }

    @Test func `trap 42: a stream is never sent twice`() async throws {
        let api = try await SocketAPI { _, _ in Self.demand("n1") }
        var request = try api.request("/a", method: "POST")
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        request.setValue("4", forHTTPHeaderField: "Content-Length")
        let error = await clientError { [request] in _ = try await api.session.data(for: request) }
        #expect(error?.code == .bodyNotReplayable)
        #expect(api.seen.map(\.request.body) == [Array("once".utf8)])
    }

    // MARK: Streamed bodies

    @Test func `a body is read as bytes, as pieces and as a file`() async throws {
        let body = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let api = try await SocketAPI { _, _ in HTTPResponse(status: 200, body: body) }
        let (bytes, response) = try await api.session.bytes(for: api.request("/a"))
        #expect(status(response) == 200)
        var read: [UInt8] = []
        for try await byte in bytes { read.append(byte) }
        #expect(read == body)
        var pieces = Data()
        for try await chunk in try await api.session.bytes(for: api.request("/a")).0.chunks { pieces += chunk }
        #expect([UInt8](pieces) == body)
        let (file, _) = try await api.session.download(for: api.request("/a"))
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try Data(contentsOf: file) == Data(body))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `trap 37 and 44: nonce and new token are got for a body that is read as it comes`() async throws {
        let api = try await SocketAPI { seen, number in
            number == 1 ? Self.demand("n1") : number == 2 ? Self.refused : HTTPResponse(status: 200, body: [1, 2, 3])
        }
        var read: [UInt8] = []
        for try await byte in try await api.session.bytes(for: api.request("/a")).0 { read.append(byte) }
        #expect(read == [1, 2, 3])
        try #require(api.seen.map(\.proof?.nonce) == [nil, "n1", "n1"])
        #expect(api.seen[1].proof?.accessTokenHash != api.seen[2].proof?.accessTokenHash)
    }

    @Test(arguments: [3, 70_000, 300_000]) func `the body of an error is whole, whoever looked at it before`(
        _ size: Int
    ) async throws {
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        let api = try await SocketAPI { _, _ in HTTPResponse(status: 400, body: body) }
        let (bytes, response) = try await api.session.bytes(for: api.request("/a"))
        #expect(status(response) == 400)
        var read = Data()
        for try await chunk in bytes.chunks { read += chunk }
        #expect([UInt8](read) == body)
        #expect(api.seen.count == 1)
    }

    @Test func `a body that breaks off is an error, and leaves no file`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nshort"
        let server = try TinyServer(["/a": .bytes(head)])
        let response = try await open(server.base + "/a")
        let error = await transportError { for try await _ in response.body {} }
        #expect(error?.code == .transportFailed)
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let failed = await clientError { try await DownloadFile.write(response.body.chunks, to: path) }
        #expect(failed?.code == .transportFailed)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `more than may wait to be read ends the answer`() async throws {
        let server = try TinyServer(["/a": .endless])
        let bytes = try await open(server.base + "/a", URLSessionTransport(maximumResponseSize: 10_000)).body
        try await Task.sleep(for: .milliseconds(200))
        let error = await transportError { for try await _ in bytes {} }
        #expect(error?.code == .transportFailed)
    }

    @Test(.timeLimit(.minutes(1))) func `who is cancelled while reading is told so`() async throws {
        let server = try TinyServer(["/a": .head("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab")])
        let bytes = try await open(server.base + "/a").body
        let task = Task { await transportError { for try await _ in bytes {} } }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        #expect(await task.value?.code == .cancelled)
    }

    // MARK: Redirects

    @Test(arguments: [301, 302, 303, 307, 308])
    func `trap 22: a redirect within the origin is followed with a new proof, when that was asked for`(
        _ code: Int
    ) async throws {
        let api = try await SocketAPI(followingRedirects: true) { _, number in
            number == 1
                ? HTTPResponse(status: code, fields: ["Location": "../b?x=1#part"])
                : number == 2 ? Self.demand("n1") : HTTPResponse(status: 200)
        }
        let (_, response) = try await api.session.data(for: api.request("/a/c"))
        #expect(status(response) == 200)
        #expect(api.seen.map(\.request.target) == ["/a/c", "/b?x=1", "/b?x=1"])
        #expect(api.seen.map(\.proof?.uri) == [api.base + "/a/c", api.base + "/b", api.base + "/b"])
    }

    @Test func `trap 22: 303 becomes GET without a body, 307 keeps both, 302 of a POST is returned`() async throws {
        let api = try await SocketAPI(followingRedirects: true) { seen, _ in
            guard let code = Int(seen.request.target.dropFirst()) else { return HTTPResponse(status: 200) }
            return HTTPResponse(status: code, fields: ["Location": "/end"])
        }
        for code in [303, 307, 302] {
            var request = try api.request("/\(code)", method: "POST")
            request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
            let (_, response) = try await api.session.upload(for: request, from: Data("body".utf8))
            #expect(status(response) == (code == 302 ? 302 : 200))
        }
        try #require(api.seen.map(\.request.method) == ["POST", "GET", "POST", "POST", "POST"])
        #expect(api.seen.map(\.request.body.count) == [4, 0, 4, 4, 4])
        #expect(api.seen[1].request.fields["Content-Type"] == nil)
    }

    @Test(arguments: [
        "https://evil.example/", "//evil.example/", "http://127.0.0.1:1/", "http://u:p@127.0.0.1/", "\u{7f}",
    ])
    func `trap 22: a redirect to another origin is returned, and nothing goes there`(_ location: String) async throws {
        let api = try await SocketAPI(followingRedirects: true) { _, _ in
            HTTPResponse(status: 302, fields: ["Location": location])
        }
        let (_, response) = try await api.session.data(for: api.request("/a"))
        #expect(status(response) ?? 500 >= 302)
        #expect(api.seen.count == 1)
    }

    @Test func `trap 22: redirects in a circle end, and without being asked none is followed`() async throws {
        for (follows, count) in [(true, 6), (false, 1)] {
            let api = try await SocketAPI(followingRedirects: follows) { _, _ in
                HTTPResponse(status: 302, fields: ["Location": "/a"])
            }
            let (_, response) = try await api.session.data(for: api.request("/a"))
            #expect(status(response) == 302)
            #expect(api.seen.count == count)
            #expect(Set(api.seen.compactMap(\.proof?.id)).count == count)
        }
    }

    // MARK: Nonces, tokens, step-up

    @Test func `trap 39 and 43: the nonce of a slow answer does not replace a newer one`() async throws {
        let gate = Gate()
        let api = try await SocketAPI { seen, _ in
            if seen.request.target == "/slow" { await gate.pass() }
            return HTTPResponse(status: 200, fields: ["DPoP-Nonce": seen.request.target == "/slow" ? "old" : "new"])
        }
        let session = api.session
        let slow = try api.request("/slow")
        let waiting = Task { _ = try await session.data(for: slow) }
        try await gate.arrival()
        _ = try await session.data(for: api.request("/quick"))
        await gate.open()
        try await waiting.value
        _ = try await session.data(for: api.request("/last"))
        #expect(api.seen.last?.proof?.nonce == "new")
    }

    @Test func `trap 44 and 48: a hundred calls over sockets that are rejected share one refresh`() async throws {
        let bad = Mutex<String?>(nil)
        let api = try await SocketAPI { seen, _ in
            let isBad = bad.withLock { bad in
                if bad == nil { bad = seen.token }
                return bad == seen.token
            }
            return isBad ? Self.refused : HTTPResponse(status: 200)
        }
        let session = api.session
        let request = try api.request("/a")
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<100 { group.addTask { status(try await session.data(for: request).1) } }
            for try await code in group { #expect(code == 200) }
        }
        #expect(await api.fixture.server.refreshes == 1)
        #expect(api.seen.allSatisfy { $0.proof != nil })
    }

    @Test func `RFC 9470: what the next sign-in must ask for comes as an error, and nothing is refreshed`() async throws
    {
        let api = try await SocketAPI { _, _ in
            .challenge(
                #"Basic realm="x", DPoP error="insufficient_user_authentication", acr_values="myACR b", max_age="5", scope="a b""#
            )
        }
        for isStreaming in [false, true] {
            let error = await clientError {
                if isStreaming {
                    _ = try await api.session.bytes(for: api.request("/a"))
                } else {
                    _ = try await api.session.data(for: api.request("/a"))
                }
            }
            #expect(error?.code == .stepUpRequired)
            #expect(error?.status == 401)
            let stepUp = try #require(error?.stepUp)
            #expect(stepUp.acrValues == ["myACR", "b"])
            #expect(stepUp.maxAge == .seconds(5))
            #expect(stepUp.scopes == ["a", "b"])
            #expect(stepUp.options.acrValues == ["myACR", "b"])
            #expect(stepUp.options.maxAge == .seconds(5))
        }
        #expect(await api.fixture.server.refreshes == 0)
        #expect(api.seen.count == 2)
    }

    @Test func `RFC 9470: the parameters go into the next authorization request`() async throws {
        let challenges = try Challenge.parse([#"Bearer error="insufficient_user_authentication", max_age="0""#])
        let stepUp = try #require(StepUpChallenge(challenges))
        let fixture = try SignInFixture()
        let request = try await fixture.client.initiateAuthorization(
            scopes: [],
            options: stepUp.options
        )
        let parameters = try await fixture.server.authorizationParameters(request.url)
        #expect(try parameters.value(for: "max_age") == "0")
        #expect(try parameters.value(for: "acr_values") == nil)
    }

    @Test(arguments: [
        #"DPoP error="insufficient_user_authentication", max_age="-1""#,
        #"DPoP error="insufficient_user_authentication", max_age="5s""#,
        #"DPoP error="insufficient_user_authentication", max_age="99999999999""#,
        #"DPoP error="insufficient_user_authentication", acr_values="é""#,
        #"DPoP error="insufficient_user_authentication""#,
    ])
    func `RFC 9470: what is not of its form is left out`(_ challenge: String) throws {
        let stepUp = try #require(try StepUpChallenge(Challenge.parse([challenge])))
        #expect(stepUp.options == AuthorizationOptions())
    }

    @Test(arguments: [
        #"Basic error="insufficient_user_authentication""#, #"DPoP error="insufficient_scope", acr_values="a""#, "DPoP",
    ])
    func `RFC 9470: other challenges ask for no sign-in`(_ challenge: String) throws {
        #expect(try StepUpChallenge(Challenge.parse([challenge])) == nil)
    }
}
