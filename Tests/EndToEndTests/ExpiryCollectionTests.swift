// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import PKCE
import SQLiteStorage
import ServerStorage
import Synchronization
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("Expired records are collected while requests are answered", .timeLimit(.minutes(2)))
struct ExpiryCollectionTests {
    private static let start = FixedClock().now()
    private let directory = NSTemporaryDirectory() + "/keybound-expiry-" + UUID().uuidString

    /// Opens a database with records that expired at the start, and one that expires an hour later.
    private func storage(expired count: Int) async throws -> SQLiteAuthorizationStorage {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let storage = try await SQLiteAuthorizationStorage(path: directory + "/keybound.db")
        try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask { try await Self.add(Self.request("expired \(number)", until: Self.start), to: storage) }
            }
            try await group.waitForAll()
        }
        return storage
    }

    private static func add(_ request: StoredAuthorizationRequest, to storage: SQLiteAuthorizationStorage) async throws
    {
        _ = try await storage.add(request, recording: Recording(WriteAttempt(id: 1)), at: start)
    }

    private static func request(_ handle: String, until end: Timestamp) -> StoredAuthorizationRequest {
        StoredAuthorizationRequest(
            referenceHash: SecretHash(of: handle),
            request: AuthorizationRequest(
                clientID: "app",
                redirectURI: "http://127.0.0.1/callback",
                scope: .empty,
                state: nil,
                codeChallenge: CodeVerifier(entropy: SeededEntropy()).s256Challenge,
                dpopThumbprint: nil
            ),
            expiresAt: end
        )
    }

    @Test func `between two steps others write, and what has not expired stays`() async throws {
        let storage = try await storage(expired: 1100)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let clock = FixedClock()
        let live = Self.request("live", until: Self.start + .seconds(3600))
        let steps = Mutex(0)
        let counted = Mutex<[Int]>([])
        let collector = ExpiryCollector(clock: clock) { time, limit in
            let step = steps.withLock { steps in
                steps += 1
                return steps
            }
            let deleted = try await storage.deleteExpired(at: time, limit: limit)
            // Without a turn for others here, this would wait for ever.
            if step == 1 { try await Task { try await Self.add(live, to: storage) }.value }
            return deleted
        }
        try await collector.collect { count in counted.withLock { $0.append(count) } }
        #expect(counted.withLock { $0 } == [500, 500, 100])
        let found = try await storage.authorizationRequest(SecretHash(of: "live"), at: clock.now())
        #expect(found?.referenceHash == live.referenceHash)
        clock.advance(by: .seconds(3600))
        try await collector.collect { count in counted.withLock { $0.append(count) } }
        #expect(counted.withLock { $0 }.last == 1)
        await storage.close()
    }

    @Test func `keybound serve begins by itself, and answers meanwhile`() async throws {
        let storage = try await storage(expired: 2000)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let app = RegisteredClient(
            clientID: "app",
            name: "App",
            redirectURIs: ["http://127.0.0.1/callback"],
            scope: try Scope(["notes:read"]),
            createdAt: Self.start
        )
        _ = try await storage.add(app)
        await storage.close()
        let issuer = "http://127.0.0.1:\(FreePort.next())"
        let served = try serve(issuer)
        let metrics = try await address(of: "metrics", in: served)
        var (answers, text): ([Int], String) = ([], "")
        for _ in 0..<1000 where !text.contains("keybound_expired_records_deleted_total 2000\n") {
            answers.append(try await push(to: issuer))
            text = try await body(of: metrics)
        }
        #expect(text.contains("keybound_expired_records_deleted_total 2000\n"))
        #expect(!answers.isEmpty && Set(answers) == [201])
        served.terminate()
        #expect(await served.result().status == 0)
        let after = try await SQLiteAuthorizationStorage(path: directory + "/keybound.db")
        #expect(try await after.deleteExpired(at: Self.start, limit: 10) == 0)
        await after.close()
    }

    private func serve(_ issuer: String) throws -> ChildProcess {
        let program = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
        return try ChildProcess(
            program.appendingPathComponent("keybound").path,
            [
                "serve", "--issuer", issuer, "--listen", String(issuer.dropFirst("http://".count)),
                "--allow-insecure-loopback-issuer", "--unencrypted-key-file", "--scope", "notes:read",
                "--data-directory", directory, "--metrics-listen", "127.0.0.1:0",
            ],
            environment: ["HOME": directory],
            directory: directory,
            input: ""
        )
    }

    private func address(of name: String, in served: ChildProcess) async throws -> String {
        for _ in 0..<1500 {
            let lines = served.outputSoFar.split(separator: "\n")
            if lines.contains(where: { $0.hasPrefix("protected") }),
                let line = lines.first(where: { $0.hasPrefix(name) })
            {
                return String(line.split(separator: " ")[1])
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CommandFailure(.failure, "the server did not start: \(served.errorsSoFar)")
    }

    private func push(to issuer: String) async throws -> Int {
        let parameters: FormParameters = [
            "response_type": "code", "client_id": "app", "redirect_uri": "http://127.0.0.1/callback",
            "scope": "notes:read", "code_challenge_method": "S256",
            "code_challenge": CodeVerifier(entropy: SystemEntropy()).s256Challenge.value,
        ]
        let request = HTTPRequest(
            method: "POST",
            target: issuer + "/par",
            fields: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(parameters.encoded().utf8)
        )
        return try await PlatformTransport().send(request, maximumBodySize: 1 << 20).status
    }

    private func body(of address: String) async throws -> String {
        let response = try await PlatformTransport().send(HTTPRequest(target: address), maximumBodySize: 1 << 20)
        return String(decoding: response.body, as: UTF8.self)
    }
}
#endif
