// SPDX-License-Identifier: Apache-2.0

/// Verifies up to eight signatures in one call, with functions that passed the known-answer tests.
struct BatchVerifier: Sendable {
    private let functions: any BatchFunctions
    private let breakEvens: [Int]

    /// The name of the library, for operators.
    var name: String { functions.name }

    /// Runs known-answer tests, and measures from how many signatures a batch is faster.
    ///
    /// - Parameter functions: The functions to test.
    /// - Throws: ``BatchVerificationError`` if a known-answer test fails.
    init(_ functions: some BatchFunctions) throws(BatchVerificationError) {
        for algorithm in BatchAlgorithm.allCases {
            guard KnownAnswerTest.allComeOut(algorithm, of: functions) else {
                throw .unavailable("\(functions.name) gives wrong answers for \(algorithm)")
            }
        }
        self.functions = functions
        breakEvens = BatchAlgorithm.allCases.map { Self.breakEven($0, functions) }
    }

    private init(_ functions: any BatchFunctions, breakEvens: [Int]) {
        (self.functions, self.breakEvens) = (functions, breakEvens)
    }

    /// A copy with another measured result, for tests.
    ///
    /// - Parameter count: The number of signatures from which a batch is faster, for every algorithm; 2 or more.
    /// - Returns: A verifier with the same functions.
    func paying(from count: Int) -> BatchVerifier {
        BatchVerifier(functions, breakEvens: breakEvens.map { _ in count })
    }

    /// The number of signatures from which a batch is faster than single verifications; 2 or more.
    ///
    /// - Parameter algorithm: The algorithm.
    /// - Returns: The number; larger than the number of lanes if a batch is never faster.
    func breakEven(_ algorithm: BatchAlgorithm) -> Int {
        breakEvens[algorithm.rawValue]
    }

    /// Verifies a batch.
    ///
    /// - Parameter lanes: At most eight signatures.
    /// - Returns: A bit for each, the lowest for the first: set if its signature is valid.
    func validLanes(_ lanes: SignatureBatch) -> UInt8 {
        guard lanes.count > 0 else { return 0 }
        return functions.verify(lanes)
    }

    /// At least 2: a single signature is never verified as a batch, so a lone caller loses no time.
    private static func breakEven(_ algorithm: BatchAlgorithm, _ functions: some BatchFunctions) -> Int {
        let lane = KnownAnswerTest(algorithm)
        var lanes = SignatureBatch(algorithm)
        while !lanes.isFull { lanes.append(unchecked: lane) }
        let together = shortest { _ = functions.verify(lanes) }
        let alone = shortest { _ = lane.isValidAlone() }
        let most = SignatureBatch.maximumCount
        return (2...most).first { alone * $0 > together } ?? most + 1
    }

    /// The shortest of several runs: disturbances only make a run longer.
    private static func shortest(_ body: () -> Void) -> Duration {
        let clock = ContinuousClock()
        return (0..<7).map { _ in clock.measure(body) }.min() ?? .zero
    }
}
