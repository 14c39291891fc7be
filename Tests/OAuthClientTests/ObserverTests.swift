// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import OAuthClient
import OAuthCore
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The observer of a client: everything that happens, and no secret")
struct ObserverTests {
    private final class Log: Sendable {
        private let lines = Mutex<[ClientEvent]>([])

        var events: [ClientEvent] { lines.withLock { $0 } }
        var reports: [RequestReport] {
            events.compactMap { event in if case .requestEnded(let report) = event { report } else { nil } }
        }

        /// All that a log could have of the events.
        var text: String {
            var text = ""
            for event in events {
                text += "\(event)\n"
                dump(event, to: &text)
            }
            return text
        }

        @Sendable func add(_ event: ClientEvent) { lines.withLock { $0.append(event) } }
    }

    private static func fixture(_ log: Log) throws -> SignInFixture {
        try SignInFixture { $0.observer = log.add }
    }

    /// Every value of eight characters or more that the client sent, and the parts that tell something.
    private static func secrets(_ requests: [HTTPRequest]) throws -> Set<String> {
        var found: Set<String> = []
        for request in requests {
            let query = (try? URI(parsing: request.target))?.query ?? ""
            for text in [query, String(decoding: request.body, as: UTF8.self)] {
                guard let parameters = try? FormParameters(decoding: text) else { continue }
                found.formUnion(parameters.all.map(\.value))
            }
            for field in request.fields.all where ["authorization", "dpop"].contains(field.name.lowercased()) {
                found.formUnion(field.value.split(separator: " ").flatMap { $0.split(separator: ".") }.map(String.init))
            }
        }
        // Words of the specification, which reports name.
        let names: Set = ["authorization_code", "refresh_token"]
        return found.filter { $0.utf8.count >= 8 && !$0.hasPrefix("https://") && !names.contains($0) }
    }

    @Test func `a whole session is reported, and no event has anything that was sent or received as a secret`()
        async throws
    {
        let log = Log()
        let fixture = try Self.fixture(log)
        await fixture.server.change { $0.apiNonces = .fixed("the-nonce-of-this-api") }
        let session = try await fixture.session()
        #expect(try await fixture.get(session, FakeServer.api + "?patient=12345678").status == 200)
        try await session.refresh()
        let tokens = try await session.tokenManager.fetch()
        // Another HTTP library, which fails the second time.
        let performed = try await session.perform("GET", FakeServer.api + "?patient=12345678") { fields in
            try await fixture.server.send(
                HTTPRequest(target: FakeServer.api + "?patient=12345678", fields: fields),
                maximumBodySize: 1000
            )
        } reading: {
            $0
        }
        #expect(performed.status == 200)
        await #expect(throws: CancellationError.self) {
            try await session.perform("PUT", FakeServer.api) { _ -> HTTPResponse in
                throw CancellationError()
            } reading: {
                $0
            }
        }
        await session.signOut()
        var secrets = try Self.secrets(await fixture.server.requests)
        #expect(secrets.count > 20)
        secrets.formUnion([tokens.accessToken.value, "the-nonce-of-this-api", "patient", "items", "/token", "my-app"])
        if let refresh = tokens.refreshToken?.value { secrets.insert(refresh) }
        if let thumbprint = tokens.keyThumbprint { secrets.insert("\(thumbprint)") }
        let text = log.text
        for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
        let requests = log.reports
        #expect(requests.count == (await fixture.server.requests).count + 1)
        #expect(requests.filter { $0.recipient == .api }.map(\.status) == [401, 200, 200, nil])
        #expect(requests.filter { $0.recipient == .api }.map(\.method) == ["GET", "GET", "GET", "PUT"])
        #expect(requests.filter { $0.recipient == .api }.map(\.attempt) == [1, 2, 1, 1])
        #expect(requests.filter { $0.recipient == .api }.map(\.retryReason) == [nil, .nonce, nil, nil])
        let asked = requests.filter { $0.recipient == .authorizationServer && $0.retryReason == nil }
        #expect(asked.map(\.purpose) == [.metadata, .pushedAuthorization, .token, .token, .revocation])
        #expect(asked.map(\.grantType) == [nil, nil, "authorization_code", "refresh_token", nil])
        #expect(requests.allSatisfy { $0.origin == "https://auth.example" && $0.failure == nil })
        #expect(log.events.contains(.session(.refreshed)) && log.events.contains(.session(.signedOut)))
    }

    @Test func `a request that is sent again for a server that is not available says so`() async throws {
        let log = Log()
        let fixture = try SignInFixture {
            $0.observer = log.add
            $0.retries = .standard
        }
        let down = HTTPResponse(status: 503)
        await fixture.server.change { $0.instead = ["/par": [down], "/api/items": [down, down]] }
        let session = try await fixture.session()
        #expect(try await fixture.get(session).status == 200)
        let pushed = log.reports.filter { $0.purpose == .pushedAuthorization && $0.retryReason != .nonce }
        #expect(pushed.map(\.status) == [503, 201])
        #expect(pushed.map(\.attempt) == [1, 2] && pushed.map(\.retryReason) == [nil, .unavailable])
        let calls = log.reports.filter { $0.purpose == .api }
        #expect(calls.map(\.status) == [503, 503, 200] && calls.map(\.attempt) == [1, 2, 3])
        #expect(calls.map(\.retryReason) == [nil, .unavailable, .unavailable])
    }

    #if os(Linux)
    @Test func `questions for keys and for the claims about the user are told apart from others`() async throws {
        let log = Log()
        let fixture = try await OpenIDFixture { $0.observer = log.add }
        let session = try await fixture.session()
        _ = try await session.userInfo()
        #expect(log.reports.map(\.purpose) == [.metadata, .token, .keys, .userInfo])
        #expect(log.reports.allSatisfy { $0.recipient == .authorizationServer && $0.status == 200 })
    }
    #endif

    @Test func `a request that fails says how, and how long it took`() async throws {
        let log = Log()
        let fixture = try Self.fixture(log)
        let session = try await fixture.session()
        await fixture.server.change { $0.unreachable = ["/api/items"] }
        await #expect(throws: OAuthClientError.self) { try await fixture.get(session) }
        guard case .requestEnded(let report) = log.events.last else {
            Issue.record("the last event is \(String(describing: log.events.last))")
            return
        }
        #expect(report.status == nil && report.failure == .transportFailed && report.recipient == .api)
        #expect(report.method == "GET" && report.duration >= .zero)
        #expect(report.description.hasPrefix("GET https://auth.example transportFailed in "))
    }
}
