// SPDX-License-Identifier: Apache-2.0

extension Rounds {
    /// Measures seconds of processor time of the whole process for one operation: what several threads do together.
    @MainActor
    static func compareProcess(perTurn: Int, ours: Batch, reference: Batch) async throws -> Rounds {
        var result = Rounds()
        var next = 0
        for round in 0...count {
            var (oursTime, referenceTime) = (0.0, 0.0)
            for _ in 0..<turns {
                let range = next..<next + perTurn
                let start = ThreadTime.process()
                try await reference(range)
                let middle = ThreadTime.process()
                try await ours(range)
                oursTime += ThreadTime.process() - middle
                referenceTime += middle - start
                next += perTurn
            }
            guard round > 0 else { continue }
            result.ours.append(oursTime / Double(turns * perTurn))
            result.reference.append(referenceTime / Double(turns * perTurn))
        }
        return result
    }

    /// Measures how many times more two cores do: the processor time of one, by the clock on the wall of two.
    ///
    /// The reference is how many processors the process had meanwhile.
    @MainActor
    static func compareScaling(
        perRound: Int,
        _ body: (_ isBoth: Bool, Range<Int>) async throws -> Void
    ) async throws -> Rounds {
        var result = Rounds()
        for round in 0...count {
            let first = 2 * round * perRound
            let start = ThreadTime.process()
            try await body(false, first..<first + perRound)
            let one = ThreadTime.process() - start
            let (wall, process) = (ThreadTime.wall(), ThreadTime.process())
            try await body(true, first + perRound..<first + 2 * perRound)
            let two = ThreadTime.wall() - wall
            guard round > 0 else { continue }
            result.ours.append(one / two)
            result.reference.append((ThreadTime.process() - process) / two)
        }
        return result
    }
}
