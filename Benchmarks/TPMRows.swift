// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JOSE
import SigningKeys

/// The TPM store compared with the bare call, with a software TPM (swtpm) that the benchmark starts.
enum TPMRows {
    static let measurements = [Measurement("devices", "tpm-sign-es256") { try await signing() }]

    /// Many callers, then one, in wall-clock time: another process does the work.
    @MainActor
    private static func signing() async throws -> [Row] {
        let directory = NSTemporaryDirectory() + "keybound-bench-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let program = try start(in: directory)
        defer { program.end() }
        let tcti = "swtpm:path=\(directory)/socket"
        let key = try await TPMKeyStore(directory: directory + "/keys", tcti: tcti).loadOrGenerate(
            alias: KeyAlias("bench")
        )
        let reference = try TPMReference(tcti)
        let message = [UInt8](repeating: 7, count: 330)
        let name = "Esys_Sign, key loaded, same TPM"
        let many = try await Rounds.compareCallers(
            8,
            perTurn: 48,
            threads: 1,
            ours: { _ = try await key.sign(message) },
            reference: { _, count in for _ in 0..<count { reference.signOnce() } }
        )
        let one = try await Rounds.compareCalls(
            perTurn: 25,
            ours: { _ = try await key.sign(message) },
            reference: { reference.signOnce() }
        )
        return [
            .times("tpm-sign-es256", many.wall, beside: name, target: .ratio(0.90)),
            .times("tpm-sign-es256-call", one.wall, beside: name, target: nil),
        ]
    }

    /// Starts a software TPM.
    private static func start(in directory: String) throws -> BenchProgram {
        let program = try BenchProgram(
            "/usr/bin/swtpm",
            [
                "swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(directory)", "--server",
                "type=unixio,path=\(directory)/socket", "--ctrl", "type=unixio,path=\(directory)/socket.ctrl",
                "--flags",
                "not-need-init,startup-clear", "--log", "file=/dev/null",
            ]
        )
        for _ in 0..<500 {
            if FileManager.default.fileExists(atPath: "\(directory)/socket.ctrl") { return program }
            usleep(20_000)
        }
        program.end()
        throw BenchmarkError("swtpm does not start")
    }
}
