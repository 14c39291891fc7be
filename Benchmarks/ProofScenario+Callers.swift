// SPDX-License-Identifier: Apache-2.0

import BatchVerification
import DPoP
import JOSE

extension ProofScenario {
    /// Verifies and records a proof through a batcher.
    func verify(
        _ proof: String,
        of number: Int,
        in store: MemoryReplayStore,
        with batcher: SignatureBatcher?
    ) async throws {
        let checked = try await verifier.check([proof], against: expectation(of: number), at: now, with: batcher)
        try record(checked, in: store)
    }

    /// The expected request for proofs with all claims; the URI is parsed for each request.
    func expectation(of number: Int) throws -> ExpectedRequest {
        ExpectedRequest(
            method: "GET",
            targetURI: try TargetURI(parsing: "https://api.example.com/notes?page=2"),
            accessToken: Self.accessToken,
            thumbprint: thumbprint(of: number)
        )
    }

    /// Verifies proofs as one caller with this many of them at a time.
    @concurrent
    func verifyTogether(
        _ proofs: [String],
        _ range: Range<Int>,
        in store: MemoryReplayStore,
        by count: Int,
        with batcher: SignatureBatcher
    ) async throws {
        for first in stride(from: range.lowerBound, to: range.upperBound, by: count) {
            let presented = try (first..<min(first + count, range.upperBound)).map { number in
                PresentedProof([proofs[number]], for: try expectation(of: number))
            }
            for result in await verifier.verify(batch: presented, replay: store, at: now, with: batcher) {
                _ = try result.get()
            }
        }
    }

    /// Does not suspend, like the memory store of a server.
    private func record(_ proof: VerifiedProof, in store: MemoryReplayStore) throws {
        try verifier.record(proof, in: store, at: now)
    }

    /// Verifies proofs as this many callers, each with one after the other.
    @concurrent
    func verify(
        _ proofs: [String],
        _ range: Range<Int>,
        in store: MemoryReplayStore,
        callers: Int,
        with batcher: SignatureBatcher?
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask { @concurrent in
                    for number in stride(from: range.lowerBound + caller, to: range.upperBound, by: callers) {
                        try await verify(proofs[number], of: number, in: store, with: batcher)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The same, with the duration of each verification in wall-clock seconds.
    @concurrent
    func latencies(
        _ proofs: [String],
        _ range: Range<Int>,
        in store: MemoryReplayStore,
        callers: Int,
        with batcher: SignatureBatcher?
    ) async throws -> [Double] {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            for caller in 0..<callers {
                group.addTask { @concurrent in
                    var times: [Double] = []
                    for number in stride(from: range.lowerBound + caller, to: range.upperBound, by: callers) {
                        let start = ThreadTime.wall()
                        // Other callers already wait when a caller returns, like the requests of a server.
                        await Task.yield()
                        try await verify(proofs[number], of: number, in: store, with: batcher)
                        times.append(ThreadTime.wall() - start)
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
