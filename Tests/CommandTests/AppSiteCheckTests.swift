// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import SocketSupport
import Synchronization
import Testing

@testable import KeyboundCommand

@Suite("The check of a website, over a socket")
struct AppSiteCheckTests {
    private static let app = "ABCDE12345.com.example.app"
    private static let good = """
        {"applinks":{"details":[{"appIDs":["\(app)"],"components":[{"/":"/callback"}]}]},"webcredentials":{"apps":["\(app)"]}}
        """

    private static func answer(
        _ body: String = good,
        status: Int = 200,
        type: String? = "application/json"
    ) -> HTTPResponse {
        HTTPResponse(status: status, fields: type.map { ["Content-Type": $0] } ?? [:], body: Array(body.utf8))
    }

    /// What the check says of a website that answers so, and which targets it asked for.
    private func codes(
        _ response: HTTPResponse,
        path: String = "/callback"
    ) async throws -> (codes: [AppSiteProblem.Code], targets: [String]) {
        let log = TargetLog()
        let listener = try HTTPListener(port: 0) { request in
            log.append(request.target)
            return response
        }
        let check = AppSiteCheck(allowsInsecureHTTPOnLoopback: true)
        let problems = try await check.problems(
            for: [AppID(Self.app)],
            callback: "http://127.0.0.1:\(listener.port)\(path)"
        )
        await listener.stop(draining: .zero)
        return (problems.map(\.code), log.targets)
    }

    @Test func `a website that breaks off in the middle of a head is an error`() async throws {
        let server = try TinyServer([
            "/.well-known/apple-app-site-association": .bytes("HTTP/1.1 200 OK\r\nContent-Ty")
        ])
        let check = AppSiteCheck(allowsInsecureHTTPOnLoopback: true)
        let error = await clientError {
            _ = try await check.problems(for: [AppID(Self.app)], callback: server.base + "/callback")
        }
        #expect(error?.code == .transportFailed)
    }

    @Test func `a website that is in order`() async throws {
        let result = try await codes(Self.answer())
        #expect(result.codes.isEmpty)
        #expect(result.targets == ["/.well-known/apple-app-site-association"])
    }

    @Test(arguments: ["application/json; charset=utf-8", "Application/JSON"])
    func `the type may have parameters`(type: String) async throws {
        #expect(try await codes(Self.answer(type: type)).codes.isEmpty)
    }

    @Test(arguments: ["text/plain", "application/jsonp", "json", "application/pkcs7-mime", nil])
    func `another type is a problem, and the file is judged all the same`(type: String?) async throws {
        let result = try await codes(Self.answer(type: type), path: "/elsewhere")
        #expect(result.codes == [.wrongContentType, .callbackNotMatched])
    }

    @Test(arguments: [301, 302, 307, 308]) func `a redirect is not followed`(status: Int) async throws {
        var response = Self.answer(status: status)
        response.fields["Location"] = "/.well-known/apple-app-site-association?again"
        let result = try await codes(response)
        #expect(result.codes == [.redirected])
        #expect(result.targets.count == 1)
    }

    @Test(arguments: [204, 403, 404, 500]) func `a file that is not there`(status: Int) async throws {
        #expect(try await codes(Self.answer(status: status)).codes == [.unexpectedStatus])
    }

    @Test(
        arguments: [
            (String(repeating: " ", count: 131_072 - good.utf8.count) + good, []),
            (String(repeating: " ", count: 131_073 - good.utf8.count) + good, [.tooLarge]),
            ("0\u{0}", [.signed]), ("-----BEGIN PKCS7-----", [.signed]), ("<html>", [.malformed]), ("", [.malformed]),
            (#"{"applinks":{},"webcredentials":{}}"#, [.appNotInWebCredentials, .appNotInAppLinks]),
        ] as [(String, [AppSiteProblem.Code])]
    )
    func `what the file is`(body: String, expected: [AppSiteProblem.Code]) async throws {
        #expect(try await codes(Self.answer(body)).codes == expected)
    }

    @Test(arguments: [
        ("http://127.0.0.1/callback", OAuthClientError.Code.insecureURL),
        ("https://app.example/callback#here", .invalidArgument), ("app:/callback", .invalidArgument),
    ]) func `nothing is fetched for what is no https callback`(
        callback: String,
        code: OAuthClientError.Code
    ) async throws {
        let error = await clientError {
            _ = try await AppSiteCheck(transport: NoNetwork()).problems(for: [AppID(Self.app)], callback: callback)
        }
        #expect(error?.code == code)
    }

    @Test(arguments: ["", "a/b", "me@app.example", "a b", "app.example?x"])
    func `nothing is fetched from what is no host`(host: String) async throws {
        let error = await clientError {
            _ = try await AppSiteCheck(transport: NoNetwork()).problems(for: [AppID(Self.app)], host: host)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `of a host only the apps are judged`() async throws {
        let network = OneResponse(Self.answer(Self.good.replacing("/callback", with: "/other")))
        let check = AppSiteCheck(transport: network)
        #expect(try await check.problems(for: [AppID(Self.app)], host: "app.example").isEmpty)
        #expect(network.targets == ["https://app.example/.well-known/apple-app-site-association"])
        let other = try await check.problems(for: [AppID("ABCDE12345.com.evil")], host: "app.example")
        #expect(other.map(\.code) == [.appNotInWebCredentials, .appNotInAppLinks])
    }
}

/// The error that an operation of the client throws; `nil` when it throws none.
private func clientError(_ operation: () async throws -> Void) async -> OAuthClientError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? OAuthClientError
    }
}
