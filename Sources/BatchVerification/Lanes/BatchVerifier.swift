// SPDX-License-Identifier: Apache-2.0

/// Verifies up to eight signatures in one call, with functions that passed a test.
struct BatchVerifier: Sendable {
    private let functions: any BatchFunctions
    private let breakEvens: [Int]

    /// What verifies, for operators.
    var name: String { functions.name }

    /// Tries functions with known answers, and measures from how many signatures on they pay.
    ///
    /// - Parameter functions: What verifies.
    /// - Throws: ``BatchVerificationError`` when a known answer does not come out.
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

    /// The same as if something else had been measured, for tests.
    ///
    /// - Parameter count: From how many signatures on the lanes are to pay, whatever the algorithm; 2 or more.
    /// - Returns: A verifier with the same functions.
    func paying(from count: Int) -> BatchVerifier {
        BatchVerifier(functions, breakEvens: breakEvens.map { _ in count })
    }

    /// From how many signatures on the lanes are quicker than one verification after the other; 2 or more.
    ///
    /// - Parameter algorithm: The algorithm.
    /// - Returns: The number; more than there are lanes when they never are.
    func breakEven(_ algorithm: BatchAlgorithm) -> Int {
        breakEvens[algorithm.rawValue]
    }

    /// Verifies lanes.
    ///
    /// - Parameter lanes: Any number of signatures up to eight.
    /// - Returns: A bit for each, the lowest for the first one: whether its signature is valid.
    func validLanes(_ lanes: SignatureBatch) -> UInt8 {
        guard lanes.count > 0 else { return 0 }
        return functions.verify(lanes)
    }

    /// One signature never goes into a lane: who is alone gets the answer that he always got, as quickly.
    private static func breakEven(_ algorithm: BatchAlgorithm, _ functions: some BatchFunctions) -> Int {
        let lane = KnownAnswerTest(algorithm)
        var lanes = SignatureBatch(algorithm)
        while !lanes.isFull { lanes.append(unchecked: lane) }
        let together = shortest { _ = functions.verify(lanes) }
        let alone = shortest { _ = lane.isValidAlone() }
        let most = SignatureBatch.maximumCount
        return (2...most).first { alone * $0 > together } ?? most + 1
    }

    /// The shortest of a few runs: what disturbs a run only makes it longer.
    private static func shortest(_ body: () -> Void) -> Duration {
        let clock = ContinuousClock()
        return (0..<7).map { _ in clock.measure(body) }.min() ?? .zero
    }
}
