// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import HTTPMessage
import HTTPServer
import TestSupport
import Testing

@Suite("keybound proxy: the session behind it")
struct ProxySessionTests {
    private let directory: TemporaryDirectory
    private let tool: SignInTool

    init() throws {
        directory = try TemporaryDirectory()
        tool = try SignInTool(in: directory)
    }

    private func signIn() async throws -> ServedIssuer {
        let server = try await ServedIssuer(in: directory)
        try await tool.register()
        let signedIn = try await tool.signIn(at: server.issuer, options: ["--unencrypted-key-file"])
        #expect(signedIn.status == 0, Comment(rawValue: signedIn.errors))
        return server
    }

    @Test func `a program without proofs calls an API that checks them and demands nonces`() async throws {
        let server = try await signIn()
        let api = try ServedNotes.listen(for: server.issuer)
        let origin = "http://127.0.0.1:\(api.port)"
        let proxy = try await RunningProxy(origin, in: directory, options: ["--allow-origin", origin])
        for _ in 0..<2 {
            let answer = try await proxy.send("GET /notes", ["Authorization: Bearer of-the-program"])
            #expect(answer.status == 200 && answer.text.contains("Water the plants"), Comment(rawValue: answer.text))
        }
        #expect(try await proxy.send("GET /nothing").status == 404)
        _ = await proxy.stop()
        await api.stop(draining: .zero)
        _ = await server.stop()
    }

    @Test func `a rejected token is refreshed, and the end of the session is said`() async throws {
        let server = try await signIn()
        let api = try ProxiedAPI()
        let proxy = try await RunningProxy(api.origin, in: directory, options: ["--allow-origin", api.origin])
        #expect(try await proxy.send("POST /notes", body: "one").status == 418)
        let first = try #require(api.requests.first?.fields["Authorization"])

        api.reject(first)
        let second = try await proxy.send("POST /notes", body: "two")
        #expect(second.status == 418 && second.text == "two", Comment(rawValue: second.text))
        let requests = api.requests
        #expect(requests.map { String(decoding: $0.body, as: UTF8.self) } == ["one", "two", "two"])
        let newer = try #require(requests.last?.fields["Authorization"])
        #expect(newer != first && newer.hasPrefix("DPoP "))

        let revoked = try await KeyboundProcess.run(
            ["grant", "revoke", "--user", "ada", "--client", "tool", "--yes"],
            in: directory
        )
        #expect(revoked.status == 0, Comment(rawValue: revoked.errors))
        // The session learns that the API accepts the new token: another rejection means that it has ended.
        #expect(try await proxy.send("GET /moved").status == 307)
        api.reject(newer)
        for _ in 0..<2 {
            let ended = try await proxy.send("GET /notes")
            #expect(ended.status == 502)
            #expect(ended.text.hasPrefix("keybound proxy: "))
            let command = "keybound login \(server.issuer) --client-id tool"
            let advice = "start keybound proxy again; if you are not signed in, or the API demands it, sign in first: "
            #expect(ended.text.contains(advice + command), Comment(rawValue: ended.text))
        }
        _ = await proxy.stop()
        await api.stop()
        _ = await server.stop()
    }

    @Test func `without an account, and after a sign-out, it does not start`() async throws {
        let missing = try await KeyboundProcess.run(["proxy", "https://api.example.com"], in: directory)
        #expect(missing.status == 4)
        let server = try await signIn()
        #expect(try await KeyboundProcess.run(["logout"], in: directory).status == 0)
        let ended = try await KeyboundProcess.run(["proxy", "https://api.example.com"], in: directory)
        #expect(ended.status == 4 && ended.errors.contains("keybound login"), Comment(rawValue: ended.errors))
        _ = await server.stop()
    }
}
#endif
