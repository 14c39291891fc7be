// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Repeats an operation for each number of a range; a number never repeats.
typealias Batch = (Range<Int>) async throws -> Void

/// The same on several threads; the first argument is the number of the thread.
typealias ThreadedBatch = @Sendable (Int, Range<Int>) -> Void

/// The results of rounds of two alternating measurements.
struct Rounds {
    /// The number of counted rounds; one more precedes them, so that caches and pools are filled.
    static let count = 9
    /// How often our side and the reference alternate in a round, so that a disturbance of the machine affects both.
    static let turns = 10

    /// One side, run a fixed number of times without timing, for a program that counts instructions from outside.
    struct Profile {
        let isReference: Bool
        let operations: Int
        /// The number of operations to prepare: the same in two runs, so that preparation cancels out.
        let prepared: Int

        /// Reads `ours:N:M` or `reference:N:M`: N operations, prepared for M.
        init(parsing text: String) throws {
            let parts = text.split(separator: ":")
            guard parts.count == 3, ["ours", "reference"].contains(parts[0]), let operations = Int(parts[1]),
                let prepared = Int(parts[2]), 0 < operations, operations <= prepared
            else { throw BenchmarkError("--profile is ours:N:M or reference:N:M") }
            (isReference, self.operations, self.prepared) = (parts[0] == "reference", operations, prepared)
        }
    }

    /// What to run instead of measuring.
    @MainActor static var profile: Profile?

    var ours: [Double] = []
    var reference: [Double] = []

    /// The number of operations to prepare for, with this many in each turn.
    @MainActor
    static func operations(perTurn: Int) -> Int { profile?.prepared ?? (count + 1) * turns * perTurn }

    /// These rounds compared with a figure from elsewhere, in seconds.
    func beside(_ figure: Double) -> Rounds {
        Rounds(ours: ours, reference: ours.map { _ in figure })
    }

    /// Measures seconds of processor time per operation.
    @MainActor
    static func compare(perTurn: Int, ours: Batch, reference: Batch) async throws -> Rounds {
        if let profile { return try await run(profile, ours, reference) }
        var result = Rounds()
        var next = 0
        let thread = pthread_self()
        for round in 0...count {
            var (oursTime, referenceTime) = (0.0, 0.0)
            for _ in 0..<turns {
                let range = next..<next + perTurn
                let start = ThreadTime.processor()
                try await reference(range)
                let middle = ThreadTime.processor()
                try await ours(range)
                let end = ThreadTime.processor()
                referenceTime += middle - start
                oursTime += end - middle
                next += perTurn
            }
            guard round > 0 else { continue }
            result.ours.append(oursTime / Double(turns * perTurn))
            result.reference.append(referenceTime / Double(turns * perTurn))
        }
        precondition(thread == pthread_self(), "the clock is that of one thread")
        return result
    }

    static func run(_ profile: Profile, _ ours: Batch, _ reference: Batch) async throws -> Rounds {
        try await (profile.isReference ? reference : ours)(0..<profile.operations)
        return Rounds(ours: [1], reference: [1])
    }

    /// Measures the throughput of two threads relative to one, in wall-clock time.
    static func compareScaling(
        perRound: Int,
        ours: @escaping ThreadedBatch,
        reference: @escaping ThreadedBatch
    ) -> Rounds {
        var result = Rounds()
        var next = 0
        for round in 0...count {
            let scaling = [reference, ours].map { batch in
                let one = seconds(of: batch, threads: 1, from: next, perThread: perRound)
                let two = seconds(of: batch, threads: 2, from: next + perRound, perThread: perRound)
                return 2 * one / two
            }
            next += 3 * perRound
            guard round > 0 else { continue }
            result.reference.append(scaling[0])
            result.ours.append(scaling[1])
        }
        return result
    }

    private static func seconds(
        of batch: @escaping ThreadedBatch,
        threads: Int,
        from first: Int,
        perThread count: Int
    ) -> Double {
        let start = ThreadTime.wall()
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            batch(thread, first + thread * count..<first + (thread + 1) * count)
        }
        return ThreadTime.wall() - start
    }
}

extension [Double] {
    /// The median.
    var median: Double { sorted()[count / 2] }

    /// The smallest and the largest value.
    var range: ClosedRange<Double> { (self.min() ?? 0)...(self.max() ?? 0) }
}
