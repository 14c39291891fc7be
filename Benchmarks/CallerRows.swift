// SPDX-License-Identifier: Apache-2.0

/// Throughput and latency over the number of callers, with the library and without; `scripts/draw/callers`
/// draws them.
enum CallerRows {
    static let measurements = [1, 2, 4, 8, 16, 32, 64, 128].map { callers in
        Measurement("callers", "callers-\(callers)") {
            let times = try await CallerTimes.measure(callers, proofs: 2560)
            return [
                .times("callers-\(callers)-each", times.each, beside: "without the library", target: nil),
                .times("callers-\(callers)-p50", times.median, beside: "without the library", target: nil),
                .times("callers-\(callers)-p99", times.late, beside: "without the library", target: nil),
            ]
        }
    }
}
