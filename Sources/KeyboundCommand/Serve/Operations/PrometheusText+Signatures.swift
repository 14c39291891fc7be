// SPDX-License-Identifier: Apache-2.0

import BatchVerification

extension PrometheusText {
    /// How signatures were verified; empty without a library that verifies several at once.
    mutating func signatures(_ statistics: SignatureBatchStatistics?) {
        guard let statistics else { return }
        family(
            "keybound_signatures_verified_total",
            "counter",
            "Signatures of proofs and access tokens, by how they were verified."
        ) {
            $0.sample(statistics.singles, ["how": "single"])
            $0.sample(statistics.batched, ["how": "batch"])
        }
        single(
            "keybound_signatures_waiting",
            "gauge",
            "Signatures waiting for a processor.",
            Optional(statistics.waiting)
        )
        family("keybound_signature_batches_total", "counter", "Batches, by how many of eight lanes were filled.") {
            for (index, count) in statistics.batchesBySize.enumerated() {
                $0.sample(count, ["lanes": "\(index + 1)"])
            }
        }
    }
}
