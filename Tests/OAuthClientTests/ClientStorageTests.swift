// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthClient
import SigningKeys
import TestSupport
import Testing

@Suite("ClientStorage: where a client keeps what it must remember")
struct ClientStorageTests {
    private static func client(_ server: FakeServer, _ storage: ClientStorage) throws -> OAuth2Client {
        try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            storage: storage,
            transport: server
        )
    }

    @Test func `an error of a file store says which file and why`() async throws {
        let missing = FileManager.default.temporaryDirectory.appendingPathComponent("keybound-\(UUID())/a").path
        let server = FakeServer()
        let client = try Self.client(server, .directoryWithUnencryptedKeys(missing))
        let error = await #expect(throws: OAuthClientError.self) {
            try await client.signIn(scopes: ["api:read"], using: ApprovingUser(server: server))
        }
        #expect(error?.code == .keyUnavailable)
        #expect(error?.reason.contains(missing) == true, "\(error?.reason ?? "-")")
    }

    @Test func `a directory keeps the session for the next process, and memory does not`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("keybound-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let secret = KeyFileSecret.credential((0..<32).map { UInt8($0) })
        let kept: [() throws -> ClientStorage] = [
            { .directoryWithUnencryptedKeys(directory) },
            { try .directory(directory + "/encrypted", keysEncryptedWith: secret) },
        ]
        for storage in kept {
            let server = FakeServer()
            _ = try await Self.client(server, storage()).signIn(
                scopes: ["api:read"],
                using: ApprovingUser(server: server)
            )
            let next = try #require(try await Self.client(server, storage()).restoreSession())
            _ = try await next.refresh()
            await next.signOut()
            #expect(try await Self.client(server, storage()).restoreSession() == nil)
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == [
                "encrypted", "keys", "sign-ins", "tokens",
            ]
        )
        let server = FakeServer()
        _ = try await Self.client(server, .memory).signIn(scopes: ["api:read"], using: ApprovingUser(server: server))
        #expect(try await Self.client(server, .memory).restoreSession() == nil)
    }
}
#endif
