// SPDX-License-Identifier: Apache-2.0

/// Repeats an operation for each number of a range; in each round the same numbers come again.
typealias RoundBatch = (_ round: Int, Range<Int>) async throws -> Void

extension Rounds {
    /// How often the two sides take turns in a round here: starting many callers costs, so that turns are longer than others.
    static let processTurns = 2

    /// Measures seconds of processor time of the whole process for one operation: what several threads do together.
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

    /// Measures how many times more two cores do: the processor time of one, by the clock on the wall of two.
    ///
    /// The reference is how many processors the process had meanwhile.
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
