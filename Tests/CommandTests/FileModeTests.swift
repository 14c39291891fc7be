// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

@Suite("Files with secrets that others may read or change are rejected")
struct FileModeTests {
    /// The mode of a file, and whether it is accepted for a secret: systemd gives 0440.
    static let modes: [(Int, Bool)] = [
        (0o600, true), (0o400, true), (0o440, true), (0o640, true),
        (0o644, false), (0o604, false), (0o660, false), (0o620, false), (0o602, false), (0o601, false),
    ]

    private func with(_ mode: Int, _ body: (TemporaryDirectory) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        try directory.write(String(repeating: "s", count: 32), to: "secret")
        let path = directory.path + "/secret"
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        try await body(directory)
    }

    private static let protection = ["--key-credential-file", "secret"]

    @Test(arguments: modes) func `a credential of a server`(mode: Int, isAccepted: Bool) async throws {
        try await with(mode) { directory in
            let serve = [
                "serve", "--check", "--issuer", "https://auth.example.com", "--audience", "https://api.example.com",
            ]
            let check = try await KeyboundProcess.run(serve + Self.protection, in: directory)
            #expect((check.status == 0) == isAccepted, "\(check.errors)")
            if !isAccepted { #expect(check.errors.contains("chmod 600"), "\(check.errors)") }
        }
    }

    @Test(arguments: [0o644, 0o640]) func `a database, when it is opened and when settings are checked`(
        mode: Int
    ) async throws {
        try await with(0o600) { directory in
            let add = ["user", "add", "ada", "--database", "keybound.sqlite", "--password-file", "secret"]
            #expect(try await KeyboundProcess.run(add, in: directory).status == 0)
            let file = directory.path + "/keybound.sqlite"
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            let list = try await KeyboundProcess.run(["user", "list", "--database", "keybound.sqlite"], in: directory)
            #expect(list.status == 3 && list.errors.contains("chmod 600"), "\(list.errors)")
            let check = [
                "serve", "--check", "--issuer", "https://auth.example.com", "--audience", "https://api.example.com",
            ]
            let result = try await KeyboundProcess.run(
                check + Self.protection + ["--database", "keybound.sqlite"],
                in: directory
            )
            #expect(result.status == 3 && result.errors.contains("chmod 600"), "\(result.errors)")
        }
    }

    @Test(arguments: modes) func `a password`(mode: Int, isAccepted: Bool) async throws {
        try await with(mode) { directory in
            let result = try await KeyboundProcess.run(
                ["user", "add", "ada", "--database", "keybound.sqlite", "--password-file", "secret"],
                in: directory
            )
            #expect((result.status == 0) == isAccepted, "\(result.errors)")
            if !isAccepted { #expect(result.errors.contains("secret can be "), "\(result.errors)") }
        }
    }
}
#endif
