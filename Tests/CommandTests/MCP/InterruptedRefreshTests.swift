// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("RFC 9700 section 4.14.2: SIGTERM in the middle of a refresh", .timeLimit(.minutes(3)))
struct InterruptedRefreshTests {
    /// Commands of a session, each of which refreshes.
    enum Use: CaseIterable {
        case refresh, request, mcp

        func arguments(_ issuer: SecretIssuer) -> [String] {
            switch self {
            case .refresh: ["token", "refresh"]
            case .request: ["request", "POST", issuer.url]
            case .mcp: ["mcp", issuer.url]
            }
        }

        var input: String {
            self == .mcp ? #"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"# + "\n" : ""
        }
    }

    private let directory: TemporaryDirectory
    private let issuer: SecretIssuer
    /// Gets a value when a refresh has been processed, and its response waits.
    private let arrivals: AsyncStream<Void>
    /// Its end lets the responses go.
    private let hold: AsyncStream<Void>.Continuation

    init() throws {
        directory = try TemporaryDirectory()
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let (held, hold) = AsyncStream.makeStream(of: Void.self)
        issuer = try SecretIssuer(rotatesTokens: true) {
            arrival.yield()
            for await _ in held {}
        }
        (self.arrivals, self.hold) = (arrivals, hold)
    }

    private func run(_ arguments: String..., input: String = "") async throws -> KeyboundProcess.Result {
        try await KeyboundProcess.run(arguments, input: input, in: directory)
    }

    /// Signs in, with the answer of the browser made from the printed URL.
    private func signIn() async throws {
        let shown = try await run("login", "--mcp", issuer.url, "--allow-insecure-loopback", "--print-url")
        try #require(shown.status == 0, Comment(rawValue: shown.errors))
        let url = try URI(parsing: String(shown.output.dropLast()))
        let state = try #require(try FormParameters(decoding: url.query ?? "").value(for: "state"))
        let callback = "http://127.0.0.1/callback?code=c&state=\(state)\n"
        let finished = try await run("login", "--answer-file", "-", input: callback)
        try #require(finished.status == 0, Comment(rawValue: finished.errors))
    }

    /// Starts a command, and waits until the server has processed its refresh.
    private func refreshing(_ use: Use) async throws -> KeyboundProcess {
        try await signIn()
        issuer.rejectTokens()
        let process = try KeyboundProcess(use.arguments(issuer), input: use.input, in: directory)
        for await _ in arrivals { break }
        return process
    }

    @Test(arguments: Use.allCases)
    func `the response is still stored, and the session goes on`(_ use: Use) async throws {
        let process = try await refreshing(use)
        process.terminate()
        hold.finish()
        let ended = await process.result()
        // The response may have come before the signal was seen.
        #expect([0, 128 + 15].contains(ended.status), Comment(rawValue: ended.errors))
        #expect(try await run("token", "show", "--reveal").output == "token-2\n")
        #expect(try await run("token", "refresh").status == 0)
        await issuer.stop()
    }

    @Test(arguments: Use.allCases)
    func `a server that does not respond holds up the end for a few seconds only`(_ use: Use) async throws {
        let process = try await refreshing(use)
        let begin = ContinuousClock.now
        process.terminate()
        let ended = await process.result()
        #expect(ended.status == (use == .mcp ? 0 : 128 + 15), Comment(rawValue: ended.errors))
        // Less than what the client waits for a response.
        #expect(ContinuousClock.now - begin < .seconds(25))
        hold.finish()
        await issuer.stop()
    }
}
