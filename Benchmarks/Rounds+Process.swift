// SPDX-License-Identifier: Apache-2.0

/// Repeats an operation for each number of a range; each round has the same numbers.
typealias RoundBatch = (_ round: Int, Range<Int>) async throws -> Void

extension Rounds {
    /// How often the two sides alternate in a round: starting many callers is expensive, so these turns are longer than
    /// others.
    static let processTurns = 2

    /// Measures seconds of processor time of the whole process per operation, the sum of its threads.
    @MainActor
    static func compareProcess(perTurn: Int, ours: RoundBatch, reference: RoundBatch) async throws -> Rounds {
        if let profile { return try await run(profile, { try await ours(0, $0) }, { try await reference(0, $0) }) }
        var result = Rounds()
        for round in 0...count {
            var (oursTime, referenceTime) = (0.0, 0.0)
            for turn in 0..<processTurns {
                let range = turn * perTurn..<(turn + 1) * perTurn
                let start = ThreadTime.process()
                try await reference(round, range)
                let middle = ThreadTime.process()
                try await ours(round, range)
                oursTime += ThreadTime.process() - middle
                referenceTime += middle - start
            }
            guard round > 0 else { continue }
            result.ours.append(oursTime / Double(processTurns * perTurn))
            result.reference.append(referenceTime / Double(processTurns * perTurn))
        }
        return result
    }

    /// Measures the throughput of two cores relative to one: the processor time of one, divided by the wall-clock time
    /// of two.
    ///
    /// The reference is the number of processors that the process used.
    @MainActor
    static func compareScaling(
        perRound: Int,
        _ body: (_ isBoth: Bool, _ round: Int, Range<Int>) async throws -> Void
    ) async throws -> Rounds {
        var result = Rounds()
        for round in 0...count {
            let start = ThreadTime.process()
            try await body(false, round, 0..<perRound)
            let one = ThreadTime.process() - start
            let (wall, process) = (ThreadTime.wall(), ThreadTime.process())
            try await body(true, round, perRound..<2 * perRound)
            let two = ThreadTime.wall() - wall
            guard round > 0 else { continue }
            result.ours.append(one / two)
            result.reference.append((ThreadTime.process() - process) / two)
        }
        return result
    }
}
