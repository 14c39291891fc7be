// SPDX-License-Identifier: Apache-2.0

/// The current speed of the machine: the seconds that one bare ES256 verification takes.
///
/// Targets in microseconds were set on one machine. Divided by that machine's time for a verification they are ratios,
/// like all other targets.
enum MachinePace {
    /// The time on the machine on which the targets were set.
    static let ofTargets = 38e-6

    /// Measures it before and after another measurement.
    @MainActor
    static func during(_ body: @MainActor () async throws -> Rounds) async throws -> (rounds: Rounds, pace: Double) {
        let reference = try OpenSSLReference()
        let before = verification(reference)
        let rounds = try await body()
        return (rounds, (before + verification(reference)) / 2)
    }

    private static func verification(_ reference: OpenSSLReference) -> Double {
        let perTurn = 100
        return (0..<5).map { _ in
            let start = ThreadTime.processor()
            for _ in 0..<perTurn { reference.verify() }
            return (ThreadTime.processor() - start) / Double(perTurn)
        }.median
    }
}
