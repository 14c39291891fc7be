// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JOSE
import SigningKeys

/// The store of a TPM beside the bare call, with a TPM in software (swtpm) that the benchmark starts.
enum TPMRows {
    static let measurements = [Measurement("devices", "tpm-sign-es256") { try await signing() }]

    /// One signature after the other, by the clock on the wall: the work itself is done by another process.
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
        defer { stop(program) }
        let tcti = "swtpm:path=\(directory)/socket"
        let key = try await TPMKeyStore(directory: directory + "/keys", tcti: tcti).loadOrGenerate(
            alias: KeyAlias("bench")
        )
        let reference = try TPMReference(tcti)
        let message = [UInt8](repeating: 7, count: 330)
        let rounds = try await Rounds.compareCalls(
            perTurn: 50,
            ours: { _ = try await key.sign(message) },
            reference: { reference.signOnce() }
        )
        return [.times("tpm-sign-es256", rounds.wall, beside: "Esys_Sign, key loaded, same TPM", target: .ratio(0.90))]
    }

    /// Starts a TPM in software; not with Foundation, whose `Process` starts nothing under valgrind.
    private static func start(in directory: String) throws -> pid_t {
        let words = [
            "swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(directory)", "--server",
            "type=unixio,path=\(directory)/socket", "--ctrl", "type=unixio,path=\(directory)/socket.ctrl", "--flags",
            "not-need-init,startup-clear", "--log", "file=/dev/null",
        ]
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        var program: pid_t = 0
        guard unsafe posix_spawn(&program, "/usr/bin/swtpm", nil, nil, &arguments, &environment) == 0 else {
            throw BenchmarkError("no swtpm: run scripts/bootstrap --all")
        }
        for _ in 0..<500 {
            if FileManager.default.fileExists(atPath: "\(directory)/socket.ctrl") { return program }
            usleep(20_000)
        }
        stop(program)
        throw BenchmarkError("swtpm does not start")
    }

    /// Not with SIGTERM: a program that a thread of libdispatch starts has all signals blocked.
    private static func stop(_ program: pid_t) {
        kill(program, SIGKILL)
        waitpid(program, nil, 0)
    }
}
