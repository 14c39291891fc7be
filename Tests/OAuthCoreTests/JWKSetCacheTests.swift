// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import OAuthCore

/// An issuer that publishes whatever a test wants, and counts how often it is asked.
private final class FakeIssuer: HTTPTransport {
    private struct State {
        var answers: [HTTPResponse?] = []
        var requests: [HTTPRequest] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isHeld = false
    }

    private let state = Mutex(State())

    /// Answers with a set of keys from now on; `nil` for no answer at all.
    func publish(_ response: HTTPResponse?) {
        state.withLock { $0.answers = [response] }
    }

    func publish(_ keys: [JWK]) {
        publish(HTTPResponse(status: 200, body: JSONValue.object(JWKSet(keys).json).encoded()))
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Lets requests wait until ``release()``.
    func hold() {
        state.withLock { $0.isHeld = true }
    }

    func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isHeld = false
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                state.requests.append(request)
                if state.isHeld { state.waiting.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        guard let response = state.withLock({ $0.answers.last ?? nil }), response.body.count <= maximumBodySize else {
            throw OAuthCoreError(.transportFailed, "no answer")
        }
        return response
    }
}

@Suite("RFC 7517 section 5: keys of an issuer, fetched and kept", .timeLimit(.minutes(2)))
struct JWKSetCacheTests {
    private let issuer = FakeIssuer()
    private let clock = FixedClock()
    private let cache: JWKSetCache
    private let first: JWK
    private let second: JWK

    init() throws {
        // Longer than any machine is busy.
        cache = try Self.cache(issuer, clock, waiting: .seconds(60))
        first = try TestKey.p256(1).publicKey.named("first", algorithm: .es256)
        second = try TestKey.p256(2).publicKey.named("second", algorithm: .es256)
        issuer.publish([first])
    }

    private static func cache(
        _ issuer: FakeIssuer,
        _ clock: FixedClock,
        waiting maximumWait: Duration,
        stale maximumStaleness: Duration = .seconds(3600)
    ) throws -> JWKSetCache {
        JWKSetCache(
            uri: try URI(parsing: "https://auth.example.com/jwks"),
            transport: issuer,
            clock: clock,
            maximumStaleness: maximumStaleness,
            maximumWait: maximumWait
        )
    }

    private func keyIDs(for keyID: String?, in other: JWKSetCache? = nil) async throws -> [String?] {
        try await (other ?? cache).keySet(forKeyID: keyID).keys.map(\.keyID)
    }

    private func expectUnavailable(sourceLocation: SourceLocation = #_sourceLocation) async {
        let error = await #expect(throws: OAuthCoreError.self, sourceLocation: sourceLocation) {
            try await cache.keySet(forKeyID: "first")
        }
        #expect(error?.code == .keysUnavailable, sourceLocation: sourceLocation)
    }

    @Test func `fetches once, with GET, and keeps the keys for five minutes`() async throws {
        #expect(issuer.requests.isEmpty)
        for _ in 0..<3 { #expect(try await keyIDs(for: "first") == ["first"]) }
        clock.advance(by: .seconds(299))
        #expect(try await keyIDs(for: "first") == ["first"])
        #expect(try await keyIDs(for: nil) == ["first"])
        #expect(issuer.requests.count == 1)
        #expect(issuer.requests.first?.method == "GET")
        #expect(issuer.requests.first?.target == "https://auth.example.com/jwks")

        clock.advance(by: .seconds(1))
        #expect(try await keyIDs(for: "first") == ["first"])
        #expect(issuer.requests.count == 2)
    }

    @Test func `an unknown kid makes it look again`() async throws {
        #expect(try await keyIDs(for: "first") == ["first"])
        issuer.publish([first, second])
        clock.advance(by: .seconds(10))
        #expect(try await keyIDs(for: "second") == ["first", "second"])
        #expect(issuer.requests.count == 2)
    }

    @Test func `invented kids do not make it look more often than every ten seconds`() async throws {
        _ = try await keyIDs(for: "first")
        for number in 0..<100 { #expect(try await keyIDs(for: "invented-\(number)") == ["first"]) }
        #expect(issuer.requests.count == 1)
        clock.advance(by: .milliseconds(9999))
        _ = try await keyIDs(for: "invented")
        #expect(issuer.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        for number in 0..<100 { _ = try await keyIDs(for: "invented-\(number)") }
        #expect(issuer.requests.count == 2)
    }

    @Test func `keys that the issuer took away are gone with the next fetch`() async throws {
        _ = try await keyIDs(for: "first")
        issuer.publish([second])
        clock.advance(by: .seconds(300))
        #expect(try await keyIDs(for: "first") == ["second"])
    }

    @Test func `when the issuer does not answer, the keys stay in use for an hour`() async throws {
        _ = try await keyIDs(for: "first")
        issuer.publish(nil)
        clock.advance(by: .seconds(3599))
        #expect(try await keyIDs(for: "first") == ["first"])
        clock.advance(by: .seconds(1))
        await expectUnavailable()
        issuer.publish([second])
        clock.advance(by: .seconds(10))
        #expect(try await keyIDs(for: "second") == ["second"])
    }

    @Test func `without any staleness, keys count if the fetch succeeded, and not if it failed`() async throws {
        let strict = try Self.cache(issuer, clock, waiting: .seconds(60), stale: .zero)
        #expect(try await keyIDs(for: "first", in: strict) == ["first"])
        // The newest fetch was a success: the issuer has no key of this name, and is not asked again so soon.
        #expect(try await keyIDs(for: "second", in: strict) == ["first"])
        #expect(issuer.requests.count == 1)
        clock.advance(by: .seconds(300))
        #expect(try await keyIDs(for: "first", in: strict) == ["first"])
        #expect(issuer.requests.count == 2)
        clock.advance(by: .seconds(300))
        issuer.publish(nil)
        let error = await #expect(throws: OAuthCoreError.self) { try await strict.keySet(forKeyID: "first") }
        #expect(error?.code == .keysUnavailable)
    }

    @Test(.timeLimit(.minutes(1)))
    func `who joins a fetch that takes longer than keys may be stale gets what it brings`() async throws {
        let strict = try Self.cache(issuer, clock, waiting: .seconds(60), stale: .seconds(1))
        issuer.hold()
        async let early = keyIDs(for: "first", in: strict)
        while issuer.requests.isEmpty { await Task.yield() }
        clock.advance(by: .seconds(2))
        async let late = keyIDs(for: "first", in: strict)
        while await strict.patientCount < 2 { await Task.yield() }
        issuer.release()
        let (one, other) = try await (early, late)
        #expect(one == ["first"])
        #expect(other == ["first"])
        #expect(issuer.requests.count == 1)
    }

    @Test func `without any answer there are no keys, and a failing issuer is not asked at every turn`() async throws {
        issuer.publish(nil)
        for _ in 0..<5 { await expectUnavailable() }
        #expect(issuer.requests.count == 1)
        clock.advance(by: .seconds(10))
        await expectUnavailable()
        #expect(issuer.requests.count == 2)
    }

    @Test(arguments: [
        HTTPResponse(status: 302, fields: ["Location": "https://evil.example/jwks"], body: Array(#"{"keys":[]}"#.utf8)),
        HTTPResponse(status: 500, body: Array(#"{"keys":[]}"#.utf8)),
        HTTPResponse(status: 200, body: Array("<html>".utf8)), HTTPResponse(status: 200, body: Array("[]".utf8)),
        HTTPResponse(status: 200, body: Array(#"{"keys":{}}"#.utf8)), HTTPResponse(status: 200),
        HTTPResponse(status: 200, body: Array(#"{"keys":[],"x":""#.utf8) + Array(repeating: 0x61, count: 300_000)),
    ])
    func `what is no set of keys is no answer`(response: HTTPResponse) async throws {
        _ = try await keyIDs(for: "first")
        issuer.publish(response)
        clock.advance(by: .seconds(300))
        #expect(try await keyIDs(for: "first") == ["first"])
        #expect(issuer.requests.count == 2)
    }

    @Test func `any number of callers wait for one fetch`() async throws {
        issuer.hold()
        let (issuer, cache) = (issuer, cache)
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<32 {
                group.addTask { @concurrent in try await cache.keySet(forKeyID: "first").keys.count }
            }
            while issuer.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            // Those who are late find the fetch running or done; neither leads to another one.
            issuer.release()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 1, count: 32))
        #expect(issuer.requests.count == 1)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [Duration.zero, .milliseconds(1)])
    func `an issuer that hangs holds up nobody who has a key of it, and is asked once`(_ wait: Duration) async throws {
        let cache = try Self.cache(issuer, clock, waiting: wait)
        #expect(try await keyIDs(for: "first", in: cache) == ["first"])
        clock.advance(by: .seconds(300))
        issuer.hold()
        issuer.publish([second])
        for _ in 0..<5 { #expect(try await keyIDs(for: "first", in: cache) == ["first"]) }
        clock.advance(by: .seconds(60))
        #expect(try await keyIDs(for: "first", in: cache) == ["first"])
        // Whether the issuer has a key of this name is not known yet: no token is invalid because of that.
        let error = await #expect(throws: OAuthCoreError.self) { try await cache.keySet(forKeyID: "second") }
        #expect(error?.code == .keysUnavailable)
        while issuer.requests.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        issuer.release()
        while (try? await keyIDs(for: "second", in: cache)) == nil { try await Task.sleep(for: .milliseconds(1)) }
        // The answer counts although it came late, and the key that the issuer took away is gone.
        #expect(try await keyIDs(for: "second", in: cache) == ["second"])
        #expect(issuer.requests.count == 2)
    }

    @Test func `a clock that was far ahead and is set right keeps no keys and blocks no fetch`() async throws {
        clock.advance(by: .seconds(86_400))
        issuer.publish(nil)
        await expectUnavailable()
        clock.advance(by: .seconds(-86_400))
        issuer.publish([first])
        #expect(try await keyIDs(for: "first") == ["first"])

        clock.advance(by: .seconds(86_400))
        _ = try await keyIDs(for: "first")
        clock.advance(by: .seconds(-86_400))
        issuer.publish([second])
        #expect(try await keyIDs(for: "first") == ["second"])
    }
}

@Suite("Keys that are known and stay")
struct FixedJWKSetTests {
    @Test func `are the answer to every question`() async throws {
        let key = try TestKey.p256(1).publicKey.named("first", algorithm: .es256)
        let source = FixedJWKSet(JWKSet([key]))
        #expect(try await source.keySet(forKeyID: nil).keys == [key])
        #expect(try await source.keySet(forKeyID: "other").keys == [key])
    }
}
