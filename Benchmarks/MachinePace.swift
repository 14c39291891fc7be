// SPDX-License-Identifier: Apache-2.0

/// The pace of the machine just now: the seconds that one bare verification of ES256 takes it.
///
/// Targets in microseconds were set on one machine. Beside what that one took for a verification they are ratios, as all others
/// are.
enum MachinePace {
    /// What the machine took on which the targets were set.
    static let ofTargets = 38e-6

    /// Measures it before and after something else is measured.
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
