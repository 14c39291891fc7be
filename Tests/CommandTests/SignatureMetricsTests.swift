// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import BatchVerification
import JOSE
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("Metrics of signatures that are verified together")
struct SignatureMetricsTests {
    @Test func `one by one and in batches, by how many lanes were filled`() async throws {
        guard let backend = try TestLanes.backend() else { return }
        let batcher = SignatureBatcher(backend)
        let key = try TestKey.p256()
        let text = try await CompactJWS.sign(header: [:], payload: [1], with: key)
        let token = SignedToken(try CompactJWS(parsing: text), key: key.publicKey)
        let verdicts = batcher.areValid([SignedToken](repeating: token, count: 21))
        #expect(verdicts == [Bool](repeating: true, count: 21))
        #expect(batcher.areValid([token]) == [true])
        var metrics = PrometheusText()
        metrics.signatures(batcher.statistics)
        let fives = backend.breakEven(for: .es256) ?? 9 <= 5
        #expect(
            metrics.text == """
                # HELP keybound_signatures_verified_total Signatures of proofs and access tokens, by how they were verified.
                # TYPE keybound_signatures_verified_total counter
                keybound_signatures_verified_total{how="single"} \(fives ? 1 : 6)
                keybound_signatures_verified_total{how="batch"} \(fives ? 21 : 16)
                # HELP keybound_signatures_waiting Signatures waiting for a processor.
                # TYPE keybound_signatures_waiting gauge
                keybound_signatures_waiting 0
                # HELP keybound_signature_batches_total Batches, by how many of eight lanes were filled.
                # TYPE keybound_signature_batches_total counter
                keybound_signature_batches_total{lanes="1"} 0
                keybound_signature_batches_total{lanes="2"} 0
                keybound_signature_batches_total{lanes="3"} 0
                keybound_signature_batches_total{lanes="4"} 0
                keybound_signature_batches_total{lanes="5"} \(fives ? 1 : 0)
                keybound_signature_batches_total{lanes="6"} 0
                keybound_signature_batches_total{lanes="7"} 0
                keybound_signature_batches_total{lanes="8"} 2

                """
        )
    }

    @Test func `without the library there are none`() {
        var metrics = PrometheusText()
        metrics.signatures(nil)
        #expect(metrics.text.isEmpty)
    }
}
#endif
