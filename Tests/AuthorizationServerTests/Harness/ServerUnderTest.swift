// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import ServerStage
import ServerStorage
import Synchronization
import TestSupport

/// A server that tests use and attack.
///
/// Tests only call ``send(_:)`` and advance the clock, whatever is behind it: the engine itself with storage in memory,
/// or, in suites that are `overSocketsOnEveryStore`, a listener. The storage is available for tasks of an operator: to
/// register users and clients, or to sign a user in without waiting for a password hash.
struct ServerUnderTest: Sendable {
    static let issuer = "https://auth.example.com"
    static let audience = "https://api.example.com"
    static let password = "correct horse battery staple"

    let clock: FixedClock
    let entropy: SeededEntropy
    let storage: any AuthorizationStorage
    let reports: Reports
    let handler: @Sendable (HTTPRequest) async -> HTTPResponse

    /// The messages for the operator.
    final class Reports: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) {
            lines.withLock { $0.append(line) }
        }
    }

    func send(_ request: HTTPRequest) async -> HTTPResponse {
        await handler(request)
    }

    func get(_ target: String) async -> HTTPResponse {
        await send(HTTPRequest(target: target))
    }

    /// Posts a form without client authentication or proof.
    func post(_ path: String, _ parameters: FormParameters, fields: HTTPFields = [:]) async -> HTTPResponse {
        await send(.form(path, parameters, fields: fields))
    }

    /// An engine with two clients and two users; with storage in memory, unless the suite has a ``ServerStage``.
    ///
    /// Proofs are recorded in a memory of their own, unless the suite has a stage or the test says otherwise.
    static func inMemory(
        clients: [RegisteredClient] = [],
        storage given: (any AuthorizationStorage)? = nil,
        signingKey: (any SigningKey)? = nil,
        idTokenKey: (any SigningKey)? = nil,
        replay: (any ReplayStore)? = nil,
        recordsProofsInStorage: Bool = false,
        passwords: PasswordHasher? = nil,
        audit: (any AuditSink)? = nil,
        outgoing: (any HTTPTransport)? = nil,
        entropy: SeededEntropy = SeededEntropy(),
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        let (clock, reports) = (FixedClock(), Reports())
        let storage = try await ServerStage.storage(given)
        var configuration = ServerConfiguration(
            issuer: try URI(parsing: issuer),
            audience: audience,
            scopes: [
                ScopeDescription(name: "api:read", text: "read your notes"), ScopeDescription(name: "api:write"),
            ]
        )
        change(&configuration)
        let engine = try AuthorizationEngine(
            configuration: configuration,
            storage: storage,
            signingKey: signingKey ?? TestKey.p256(1),
            idTokenKey: idTokenKey,
            replay: replay ?? (ServerStage.current == nil && !recordsProofsInStorage ? MemoryReplayStore() : nil),
            nonceSecrets: [DPoPNonceSecret(entropy: entropy)],
            passwords: passwords ?? .unprotected(entropy: entropy),
            clock: clock,
            entropy: entropy,
            outgoing: outgoing,
            audit: audit,
            report: reports.add
        )
        try await register(clients, in: storage)
        return ServerUnderTest(
            clock: clock,
            entropy: entropy,
            storage: storage,
            reports: reports,
            handler: try ServerStage.handler { await engine.respond(to: $0) }
        )
    }

    /// Registers two users, two clients and those that a test needs.
    static func register(_ clients: [RegisteredClient] = [], in storage: any AuthorizationStorage) async throws {
        for client in try standardClients() + clients { _ = try await storage.add(client) }
        for name in ["ada", "bob"] { _ = try await storage.add(account(name)) }
    }

    /// Adds users, and returns their names.
    func addUsers(_ count: Int) async throws -> [String] {
        let names = (1...count).map { "user-\($0)" }
        for name in names { _ = try await storage.add(Self.account(name)) }
        return names
    }

    private static func standardClients() throws -> [RegisteredClient] {
        [
            try client(
                "app",
                redirectURIs: [
                    "https://app.example.com/callback", "com.example.app:/callback", "http://127.0.0.1/callback",
                    "http://[::1]/callback",
                ]
            ),
            try client("other", redirectURIs: ["https://other.example.com/callback"]),
        ]
    }

    static func client(
        _ clientID: String,
        name: String = "Example App",
        redirectURIs: [String],
        scope: String = "api:read api:write",
        isBound: Bool = true
    ) throws -> RegisteredClient {
        var client = RegisteredClient(
            clientID: clientID,
            name: name,
            redirectURIs: redirectURIs,
            scope: try Scope(parsing: scope),
            dpopBoundAccessTokens: isBound,
            createdAt: FixedClock().now()
        )
        client.registrationID = "registration-of-\(clientID)"
        return client
    }

    /// One hash for all users of all tests.
    private static let hash = Task { try await PasswordHasher.unprotected(entropy: SeededEntropy()).hash(password) }

    private static func account(_ name: String) async throws -> UserAccount {
        UserAccount(
            subject: "subject-of-\(name)",
            username: name,
            passwordHash: try await hash.value,
            createdAt: FixedClock().now()
        )
    }
}
