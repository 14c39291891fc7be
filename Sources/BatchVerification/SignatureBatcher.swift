// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthSystem

/// Verifies together what waits together: callers meet here, and a ``BatchBackend`` verifies up to eight at once.
///
/// Nobody waits for a batch to fill. Who comes while a processor is free verifies at once, by itself, and is not suspended;
/// who comes while all are busy waits, and all who wait go together, in the order in which they came. Whether others are
/// about to come shows only when they are let run, so while callers come one right after the other some of them step back
/// once before they verify; that is given up for longer and longer while it gathers nobody, and done for each while it does.
/// On an idle machine nobody steps back, and without an accelerator nobody ever does.
///
/// The queue is bounded: who finds it full verifies by itself. All work is done by the callers, on the threads that they
/// run on; nothing blocks.
public final class SignatureBatcher: SignatureVerifier {
    /// What verifies several at once; `nil` when everything is verified one by one.
    public let accelerator: BatchBackend?
    private let queues: [BatchQueue]

    /// Makes a meeting place; a process needs one.
    ///
    /// - Parameters:
    ///   - accelerator: What verifies several at once; `nil` for one by one.
    ///   - verifiers: How many callers verify at the same time; the number of processors when `nil`.
    ///   - capacity: How many callers may wait, for each algorithm.
    public convenience init(_ accelerator: BatchBackend?, verifiers: Int? = nil, capacity: Int = 1024) {
        self.init(accelerator, verifiers: verifiers, capacity: capacity) { .now }
    }

    /// Makes a meeting place with a clock of its own, for tests.
    package init(
        _ accelerator: BatchBackend?,
        verifiers: Int?,
        capacity: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.accelerator = accelerator
        let verifiers = max(1, verifiers ?? SystemProcessors.count)
        queues =
            accelerator.map { accelerator in
                BatchAlgorithm.allCases.map {
                    BatchQueue($0, accelerator, verifiers: verifiers, capacity: capacity, now: now)
                }
            } ?? []
    }

    /// What was verified so far.
    public var statistics: SignatureBatchStatistics {
        queues.reduce(into: SignatureBatchStatistics()) { $0.add($1.statistics) }
    }

    /// Whether a token is signed by a key; the algorithms that are allowed are the caller's concern.
    ///
    /// - Parameter token: The token and its key.
    /// - Returns: What ``/JOSE/SignedToken/isSigned()`` says.
    /// - Throws: `CancellationError` when the task was cancelled while it waited; then nothing was verified.
    public func isValid(_ token: SignedToken) async throws(CancellationError) -> Bool {
        guard !queues.isEmpty, let algorithm = token.laneAlgorithm else { return token.isSigned() }
        return try await queues[algorithm.rawValue].isSigned(token)
    }

    /// Whether each of several tokens is signed by its key: for callers that hold them all.
    ///
    /// - Parameter tokens: The tokens with their keys, of any algorithms.
    /// - Returns: What ``/JOSE/SignedToken/isSigned()`` says of each, in their order.
    public func areValid(_ tokens: [SignedToken]) -> [Bool] {
        guard !queues.isEmpty else { return tokens.map { $0.isSigned() } }
        var verdicts = [Bool](repeating: false, count: tokens.count)
        for (algorithm, indices) in Dictionary(grouping: tokens.indices, by: { tokens[$0].laneAlgorithm }) {
            guard let algorithm else {
                for index in indices { verdicts[index] = tokens[index].isSigned() }
                continue
            }
            for start in stride(from: 0, to: indices.count, by: SignatureBatch.maximumCount) {
                let group = indices[start..<min(start + SignatureBatch.maximumCount, indices.count)]
                let answers = queues[algorithm.rawValue].areSigned(group.map { tokens[$0] })
                for (lane, index) in group.enumerated() { verdicts[index] = answers >> UInt8(lane) & 1 == 1 }
            }
        }
        return verdicts
    }
}
