// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import SigningKeys
import TestSupport
import Testing

@testable import OAuthClient

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

    @Test func `a directory can be named by its URL`() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("keybound URL \(UUID())")
        defer { try? FileManager.default.removeItem(at: home) }
        let server = FakeServer()
        let secret = KeyFileSecret.credential(Array(repeating: 7, count: 32))
        for storage in [
            try ClientStorage.directory(home, keysEncryptedWith: secret),
            try ClientStorage.directory(home, keysIn: MemoryKeyStore()),
        ] {
            _ = try await Self.client(server, storage).signIn(scopes: [], using: ApprovingUser(server: server))
            #expect(FileManager.default.fileExists(atPath: home.path + "/tokens"))
        }
        let elsewhere = try #require(URL(string: "https://a.example/b"))
        for make in [
            { _ = try ClientStorage.directory(elsewhere, keysIn: MemoryKeyStore()) },
            { _ = try ClientStorage.directory(elsewhere, keysEncryptedWith: secret) },
        ] {
            #expect(await clientError { try make() }?.code == .invalidArgument)
        }
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

    @Test func `a device without TPM and keyring makes no key, and says so`() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("keybound-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let storage = try ClientStorage.device(
            "com.example.my-app",
            ["HOME": home, "XDG_STATE_HOME": "relative"],
            tcti: "device:\(home)/no-tpm",
            busAddress: "unix:path=\(home)/no-bus"
        )
        let server = FakeServer()
        let error = await clientError {
            _ = try await Self.client(server, storage).signIn(scopes: [], using: ApprovingUser(server: server))
        }
        #expect(error?.code == .keyUnavailable && error?.keyStoreError?.code == .deviceUnavailable)
        let path = home + "/.local/state/com.example.my-app"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        #expect(await server.requests(to: "/par").isEmpty)
    }

    @Test func `a device with a keyring keeps the session for the next process`() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("keybound-\(UUID())").path
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: home) }
        let desktop = try await Desktop(in: home)
        let server = FakeServer()
        func client() throws -> OAuth2Client {
            let storage = try ClientStorage.device(
                "com.example.my-app",
                ["XDG_STATE_HOME": home + "/state"],
                tcti: "device:\(home)/no-tpm",
                busAddress: desktop.busAddress
            )
            return try Self.client(server, storage)
        }
        _ = try await client().signIn(scopes: ["api:read"], using: ApprovingUser(server: server))
        let next = try #require(try await client().restoreSession())
        _ = try await next.refresh()
        #expect(try await next.keyProtection() == .encryptedFile)
        await desktop.end()
    }

    @Test func `a device with a TPM keeps the key there`() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("kb-\(UUID().uuidString.prefix(8))")
            .path
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: home) }
        let tpm = try await SoftwareTPM(directory: home + "/tpm")
        let server = FakeServer()
        let storage = try ClientStorage.device(
            "com.example.my-app",
            ["XDG_STATE_HOME": home + "/state"],
            tcti: tpm.tcti,
            busAddress: "unix:path=\(home)/no-bus"
        )
        let session = try await Self.client(server, storage)
            .signIn(scopes: ["api:read"], using: ApprovingUser(server: server))
        // A simulator is not hardware, and the store says so.
        #expect(try await session.keyProtection() == .osProtected)
        let files = try FileManager.default.contentsOfDirectory(atPath: home + "/state/com.example.my-app/tpm-keys")
        #expect(files.contains { $0.hasSuffix(".key") })
        await tpm.stop()
    }

    @Test(arguments: ["", ".", "..", "-a", "a/b", "a b", "ä", String(repeating: "a", count: 101)])
    func `a name that is no plain one is rejected`(_ name: String) async {
        let error = await clientError { _ = try ClientStorage.device(name, ["HOME": "/nowhere"]) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `without a home there is no directory`() async {
        let error = await clientError { _ = try ClientStorage.device("app", ["HOME": "relative"]) }
        #expect(error?.code == .storageFailed)
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
