// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("Resource server: introspection with a cache")
struct IntrospectionCacheTests {
    /// An authorization server that answers each question with what a test sets.
    private final class Server: HTTPTransport {
        private struct State {
            var answer: JSONObject = [:]
            var status = 200
            var questions = 0
        }

        private let state = Mutex(State())
        private let gate: AsyncStream<Void>?

        /// How many questions are answered at once.
        private let count: Int

        init(waitingFor gate: AsyncStream<Void>? = nil, after count: Int = 0) {
            self.gate = gate
            self.count = count
        }

        var questions: Int { state.withLock { $0.questions } }

        func answer(_ answer: JSONObject, status: Int = 200) {
            state.withLock { ($0.answer, $0.status) = (answer, status) }
        }

        func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
            let (answer, status, number) = state.withLock { state in
                state.questions += 1
                return (state.answer, state.status, state.questions)
            }
            if let gate, number > count { for await _ in gate {} }
            return HTTPResponse(
                status: status,
                fields: ["Content-Type": "application/json"],
                body: JSONValue.object(answer).encoded()
            )
        }
    }

    private static let active: JSONObject = [
        "active": true, "sub": "ada", "client_id": "app", "aud": "https://api.example.com", "exp": 1_790_000_030,
    ]

    private let clock = FixedClock()

    private func reader(
        _ server: Server,
        cache: Duration,
        timeout: Duration = .seconds(60),
        endpoint: String = "https://auth.example.com/introspect"
    ) throws -> IntrospectingAccessTokens {
        let configuration = GuardConfiguration(
            issuer: GuardedAPI.issuer,
            address: try URI(parsing: GuardedAPI.address)
        )
        return try IntrospectingAccessTokens(
            configuration,
            endpoint: URI(parsing: endpoint),
            clientID: "api",
            clientSecret: ClientSecret("secret"),
            transport: server,
            cacheLifetime: cache,
            timeout: timeout
        )
    }

    private func subject(_ reader: IntrospectingAccessTokens, _ token: String = "opaque") async throws -> String? {
        try await reader.claims(of: token, at: clock.now())?.subject
    }

    @Test func `an endpoint without TLS is rejected, unless it is on loopback`() throws {
        for endpoint in ["http://auth.example.com/introspect", "http://localhost/introspect"] {
            let error = #expect(throws: ResourceServerError.self) {
                try reader(Server(), cache: .zero, endpoint: endpoint)
            }
            #expect(error?.code == .invalidConfiguration, "\(endpoint)")
        }
        _ = try reader(Server(), cache: .zero, endpoint: "http://127.0.0.1:8080/introspect")
    }

    @Test func `an answer is used for its time, and a revoked token is rejected after it`() async throws {
        let server = Server()
        server.answer(Self.active)
        let reader = try reader(server, cache: .seconds(10))
        for _ in 0..<3 { #expect(try await subject(reader) == "ada") }
        #expect(server.questions == 1)
        server.answer(["active": false])
        clock.advance(by: .seconds(9))
        #expect(try await subject(reader) == "ada")
        clock.advance(by: .seconds(1))
        #expect(try await subject(reader) == nil)
        #expect(server.questions == 2)
    }

    @Test func `without a cache each request is a question`() async throws {
        let server = Server()
        server.answer(Self.active)
        let reader = try reader(server, cache: .zero)
        for _ in 0..<3 { #expect(try await subject(reader) == "ada") }
        #expect(server.questions == 3)
        server.answer(["active": false])
        #expect(try await subject(reader) == nil)
    }

    @Test func `attack: a cached token does not outlive its end`() async throws {
        let server = Server()
        server.answer(Self.active)
        let reader = try reader(server, cache: .seconds(60))
        #expect(try await subject(reader) == "ada")
        clock.advance(by: .seconds(30))
        #expect(try await subject(reader) == nil)
        #expect(server.questions == 1)
    }

    @Test func `attack: made-up tokens are asked about once in five seconds, and push out no good one`() async throws {
        let server = Server()
        server.answer(Self.active)
        let reader = try reader(server, cache: .seconds(60))
        #expect(try await subject(reader, "good") == "ada")
        server.answer(["active": false])
        for _ in 0..<3 { #expect(try await subject(reader, "made-up") == nil) }
        #expect(server.questions == 2)
        clock.advance(by: .seconds(5))
        #expect(try await subject(reader, "made-up") == nil)
        #expect(server.questions == 3)
        #expect(try await subject(reader, "good") == "ada")
        #expect(server.questions == 3)
    }

    @Test func `a failure is not remembered`() async throws {
        let server = Server()
        server.answer([:], status: 500)
        let reader = try reader(server, cache: .seconds(60))
        await #expect(throws: (any Error).self) { try await subject(reader) }
        server.answer(Self.active)
        #expect(try await subject(reader) == "ada")
    }

    @Test(.timeLimit(.minutes(1)), arguments: [(Duration.zero, 64), (.seconds(60), 48)])
    func `attack: few questions at once, and with a cache one about a token at a time`(
        _ lifetime: Duration,
        _ limit: Int
    ) async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let server = Server(waitingFor: gate)
        server.answer(Self.active)
        let reader = try reader(server, cache: lifetime)
        let now = clock.now()
        let copies = lifetime > .zero ? 2 : 1
        let waiting = (0..<limit * copies).map { number in
            Task { try await reader.claims(of: "token \(number % limit)", at: now)?.subject }
        }
        while server.questions < limit { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: OAuthCoreError.self) { try await reader.claims(of: "one more", at: now) }
        open.finish()
        for task in waiting { #expect(try await task.value == "ada") }
        #expect(server.questions == limit)
    }

    @Test(.timeLimit(.minutes(1)))
    func `attack: questions about made-up tokens leave room for one that was active`() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let server = Server(waitingFor: gate, after: 1)
        server.answer(Self.active)
        let reader = try reader(server, cache: .seconds(10))
        #expect(try await subject(reader, "good") == "ada")
        clock.advance(by: .seconds(10))
        let now = clock.now()
        let waiting = (0..<48).map { number in
            Task { try await reader.claims(of: "made-up \(number)", at: now)?.subject }
        }
        while server.questions < 49 { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: OAuthCoreError.self) { try await reader.claims(of: "made-up", at: now) }
        let good = Task { try await reader.claims(of: "good", at: now)?.subject }
        while server.questions < 50 { try await Task.sleep(for: .milliseconds(1)) }
        open.finish()
        #expect(try await good.value == "ada")
        for task in waiting { _ = try await task.value }
    }

    @Test(.timeLimit(.minutes(1)))
    func `attack: a server that does not answer keeps no question for long`() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let server = Server(waitingFor: gate)
        let reader = try reader(server, cache: .zero, timeout: .milliseconds(1))
        let now = clock.now()
        let error = await #expect(throws: OAuthCoreError.self) { try await reader.claims(of: "opaque", at: now) }
        #expect(error?.code == .transportFailed)
        open.finish()
    }
}
