// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import SigningKeys

/// A SoftHSM token in its own directory, a key in it, and direct access to the module.
struct TokenBench: Sendable {
    private static let (label, pin) = ("bench", "1234")

    let key: any SigningKey
    let message = [UInt8](repeating: 7, count: 330)
    /// One for each thread that calls the module.
    let references: [TokenReference]
    private let directory: String

    static func prepare() async throws -> TokenBench {
        guard FileManager.default.isReadableFile(atPath: TokenRows.module) else {
            throw BenchmarkError.missing("no SoftHSM: scripts/bootstrap test installs it")
        }
        // In memory, so that nothing waits for a disk.
        let directory = "/dev/shm/keybound-bench-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: directory + "/tokens", withIntermediateDirectories: true)
        let configuration = directory + "/softhsm2.conf"
        try "directories.tokendir = \(directory)/tokens\nobjectstore.backend = file\nlog.level = ERROR\n"
            .write(toFile: configuration, atomically: true, encoding: .utf8)
        // Before any other code of this process reads the environment.
        unsafe setenv("SOFTHSM2_CONF", configuration, 1)
        let words = [
            "softhsm2-util", "--init-token", "--free", "--label", label, "--so-pin", "12345678", "--pin", pin,
        ]
        guard try BenchProgram("/usr/bin/softhsm2-util", words, ["SOFTHSM2_CONF=" + configuration]).wait() == 0 else {
            throw BenchmarkError("SoftHSM made no token")
        }
        let store = PKCS11KeyStore(
            module: TokenRows.module,
            token: PKCS11TokenSelection(label: label),
            pin: .bytes(Array(pin.utf8)),
            sessions: TokenRows.sessions,
            lockDirectory: directory + "/lock"
        )
        let key = try await store.loadOrGenerate(alias: KeyAlias("bench"))
        let references = try (0..<TokenRows.sessions).map { _ in
            try TokenReference(TokenRows.module, label: label, pin: pin, key: "bench")
        }
        return TokenBench(key: key, references: references, directory: directory)
    }

    /// Removes the token.
    ///
    /// SoftHSM reads its files for each signature, so this must come last.
    func end() throws {
        try FileManager.default.removeItem(atPath: directory)
    }
}
