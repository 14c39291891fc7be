// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE

/// Signatures with a token key compared with the calls of its module.
enum TokenRows {
    static let module = "/usr/lib/softhsm/libsofthsm2.so"
    /// The number of store sessions, and of threads that call the module: one per core, up to 4.
    static let sessions = min(4, max(1, ProcessInfo.processInfo.activeProcessorCount))
    /// Enough callers to keep the threads of the sessions busy.
    private static let callers = 16

    static let measurements = [
        Measurement("tokens", "pkcs11-sign-es256") {
            let stage = try await TokenBench.prepare()
            let rows = try await throughput(stage) + call(stage)
            try stage.end()
            return rows
        }
    ]

    /// Many callers and several sessions compared with as many threads with a session each.
    @MainActor
    private static func throughput(_ stage: TokenBench) async throws -> [Row] {
        let rounds = try await Rounds.compareCallers(
            callers,
            perTurn: 400,
            threads: sessions,
            ours: { _ = try await stage.key.sign(stage.message) },
            reference: { thread, count in try stage.references[thread].sign(count: count) }
        )
        let name = "C_SignInit and C_Sign, \(sessions) threads and sessions"
        return [
            .times("pkcs11-sign-es256", rounds.wall, beside: name, target: .ratio(0.90)),
            .times("pkcs11-sign-es256-cpu", rounds.processor, beside: name, target: nil),
        ]
    }

    /// One caller, who waits for each signature: to the thread of the session and back; in wall-clock and in processor
    /// time.
    @MainActor
    private static func call(_ stage: TokenBench) async throws -> [Row] {
        let rounds = try await Rounds.compareCalls(
            perTurn: 100,
            ours: { _ = try await stage.key.sign(stage.message) },
            reference: { try stage.references[0].sign(count: 1) }
        )
        let name = "C_SignInit and C_Sign, one session"
        return [
            .times("pkcs11-sign-es256-call", rounds.wall, beside: name, target: nil),
            .times("pkcs11-sign-es256-call-cpu", rounds.processor, beside: name, target: nil),
        ]
    }
}
