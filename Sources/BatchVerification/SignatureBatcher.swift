// SPDX-License-Identifier: Apache-2.0

public import JOSE
import OAuthSystem

/// Collects concurrent verifications into batches of up to eight, for a ``BatchBackend``.
///
/// A batch never waits to fill. While a processor is free, a caller verifies its own signature at once, without
/// suspending. When all processors are busy, callers queue and are verified together in arrival order. While callers
/// arrive in quick succession, some of them yield once before they verify, so that other tasks can join the batch.
/// While this finds no other callers, it is tried more and more rarely; while it does, every caller yields. On an idle
/// machine, and without a backend, no caller yields.
///
/// The queue is bounded: a caller that finds it full verifies its own signature. All work is done by the callers, on
/// their own threads; nothing blocks.
public final class SignatureBatcher: SignatureVerifier {
    /// The backend for batches; `nil` if all signatures are verified one by one.
    public let backend: BatchBackend?
    private let queues: [BatchQueue]

    /// Creates a batcher.
    ///
    /// A process needs only one.
    ///
    /// - Parameters:
    ///   - backend: The backend for batches; `nil` to verify all signatures one by one.
    ///   - verifiers: The maximum number of callers that verify at the same time; `nil` for the number of processors.
    ///   - capacity: The maximum number of waiting callers for each algorithm.
    public convenience init(_ backend: BatchBackend?, verifiers: Int? = nil, capacity: Int = 1024) {
        self.init(backend, verifiers: verifiers, capacity: capacity) { .now }
    }

    /// Creates a batcher with its own clock, for tests.
    package init(
        _ backend: BatchBackend?,
        verifiers: Int?,
        capacity: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.backend = backend
        let verifiers = max(1, verifiers ?? SystemProcessors.count)
        queues =
            backend.map { backend in
                BatchAlgorithm.allCases.map {
                    BatchQueue($0, backend, verifiers: verifiers, capacity: capacity, now: now)
                }
            } ?? []
    }

    /// Counts of the signatures verified so far.
    public var statistics: SignatureBatchStatistics {
        queues.reduce(into: SignatureBatchStatistics()) { $0.add($1.statistics) }
    }

    /// Whether the key of a token made its signature.
    ///
    /// The caller checks that the algorithm is allowed.
    ///
    /// - Parameter token: The token and its key.
    /// - Returns: The result of ``/JOSE/SignedToken/isSigned()``.
    /// - Throws: `CancellationError` if the task was cancelled while it waited. The signature was not verified then.
    public func isValid(_ token: SignedToken) async throws(CancellationError) -> Bool {
        guard !queues.isEmpty, let algorithm = token.laneAlgorithm else { return token.isSigned() }
        return try await queues[algorithm.rawValue].isSigned(token)
    }

    /// Verifies several tokens of one caller.
    ///
    /// - Parameter tokens: The tokens with their keys, of any algorithms.
    /// - Returns: The result of ``/JOSE/SignedToken/isSigned()`` for each token, in the same order.
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
