// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthClient
import OAuthTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server with an API, and a client whose requests are recorded.
struct SignedInApp {
    static let scopes = ["api:read"]

    let server: FakeAuthorizationServer
    let api: FakeResourceServer
    let recording: RecordingTransport
    let client: OAuth2Client

    init(seed: UInt64 = 1) async throws {
        server = try await FakeAuthorizationServer(entropy: DeterministicEntropy(seed: seed))
        api = try FakeResourceServer(for: server)
        try api.route("GET", "/notes", needing: Self.scopes, json: #"["Water the plants"]"#)
        try api.route("DELETE", "/notes", needing: ["api:write"], json: "[]")
        recording = RecordingTransport(server)
        client = try await server.makeClient(transport: recording)
    }

    func signIn() async throws -> OAuthSession {
        try await client.signIn(scopes: Self.scopes, using: server.userAgent)
    }

    /// The paths of the recorded requests with the statuses they got, such as `/token 200`.
    var log: [String] {
        recording.exchanges.map { exchange in
            let path = exchange.url.split(separator: "/", maxSplits: 2).last ?? ""
            return "/\(path) \(exchange.status.map(String.init) ?? exchange.failure ?? "?")"
        }
    }

    static func call(
        _ session: OAuthSession,
        _ url: String = "https://api.example/notes",
        method: String = "GET"
    ) async throws -> Int {
        var request = URLRequest(url: URL(string: url) ?? URL(filePath: "/"))
        request.httpMethod = method
        let (_, response) = try await session.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode ?? 0
    }
}

/// The error that an operation of the client throws; `nil` when it throws none.
func clientError(_ operation: () async throws -> Void) async -> OAuthClientError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? OAuthClientError
    }
}
