// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import HTTPServer
import TestSupport
import Testing

@Suite("keybound aasa --check")
struct AppSiteFileTests {
    private static let file = #"{"applinks":{"details":[]},"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#

    private func check(
        _ response: HTTPResponse,
        _ options: [String],
        environment: [String: String] = [:]
    ) async throws -> KeyboundProcess.Result {
        let listener = try HTTPListener(port: 0) { _ in response }
        let result = try await KeyboundProcess.run(
            [
                "aasa", "--app", "ABCDE12345.com.example.app", "--check", "http://127.0.0.1:\(listener.port)/cb",
                "--allow-insecure-loopback",
            ] + options,
            in: TemporaryDirectory(),
            environment: environment
        )
        await listener.stop(draining: .zero)
        return result
    }

    @Test func `prints each problem, and fails`() async throws {
        let response = HTTPResponse(status: 200, fields: ["Content-Type": "text/plain"], body: Array(Self.file.utf8))
        let result = try await check(response, [])
        #expect(result.status == 1)
        #expect(
            result.output.split(separator: "\n").map { $0.prefix { $0 != ":" } } == [
                "wrongContentType", "appNotInAppLinks",
            ]
        )
        #expect(result.errors.contains("2 problems"))
        let json = try await check(response, ["--json"])
        #expect(json.status == 1)
        #expect(json.output.contains(#""code": "appNotInAppLinks""#))
        #expect(json.output.contains(#""ok": false"#))
    }

    @Test func `what is in clear on this machine goes through no proxy of the environment`() async throws {
        let response = HTTPResponse(
            status: 200,
            fields: ["Content-Type": "text/plain"],
            body: Array(Self.file.utf8)
        )
        let nobody = "http://127.0.0.1:9"
        let proxies = ["http_proxy": nobody, "all_proxy": nobody]
        let result = try await check(response, [], environment: proxies)
        #expect(result.output.contains("wrongContentType"), Comment(rawValue: result.errors))
    }

    @Test func `the file that it prints passes its own check`() async throws {
        let printed = try await KeyboundProcess.run(
            ["aasa", "--app", "ABCDE12345.com.example.app", "--callback", "https://app.example/cb"],
            in: TemporaryDirectory()
        )
        let response = HTTPResponse(
            status: 200,
            fields: ["Content-Type": "application/json"],
            body: Array(printed.output.utf8)
        )
        let result = try await check(response, [])
        #expect(result.status == 0, Comment(rawValue: result.output + result.errors))
        #expect(try await check(response, ["--json"]).output.contains(#""ok": true"#))
    }
}
