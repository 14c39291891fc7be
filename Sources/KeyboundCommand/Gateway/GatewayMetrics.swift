// SPDX-License-Identifier: Apache-2.0

import Gateway
import Synchronization

/// Counts of what a gateway decided.
final class GatewayMetrics: Sendable {
    private struct Key: Hashable {
        let api: String
        let reason: String
        let isPass: Bool
    }

    private struct State {
        var decisions: [Key: Int] = [:]
        var durations = Histogram()
    }

    private let state = Mutex(State())

    /// Counts a decision.
    ///
    /// The labels are few: the configured addresses, and the names of outcomes and checks.
    func count(_ decision: GatewayDecision) {
        let key = Key(
            api: decision.api ?? "",
            reason: decision.check ?? decision.outcome.name,
            isPass: decision.outcome.isPass
        )
        state.withLock { $0.decisions[key, default: 0] += 1 }
    }

    func count(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        state.withLock { $0.durations.add(microseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000) }
    }

    func write(to text: inout PrometheusText) {
        let (decisions, durations) = state.withLock { ($0.decisions, $0.durations) }
        text.family("keybound_gateway_decisions_total", "counter", "Check requests of proxies, by decision.") { text in
            for (key, count) in decisions.sorted(by: { ($0.key.api, $0.key.reason) < ($1.key.api, $1.key.reason) }) {
                text.sample(
                    count,
                    ["api": key.api, "decision": key.isPass ? "pass" : "refuse", "reason": key.reason]
                )
            }
        }
        text.family("keybound_gateway_decision_duration_seconds", "histogram", "How long decisions took.") { text in
            let cumulative = durations.cumulative
            for (limit, count) in zip(Histogram.limits, cumulative) {
                text.sample(count, ["le": "\(Double(limit) / 1_000_000)"], suffix: "_bucket")
            }
            text.sample(cumulative.last ?? 0, ["le": "+Inf"], suffix: "_bucket")
            text.sample(Double(durations.sum) / 1_000_000, suffix: "_sum")
            text.sample(cumulative.last ?? 0, suffix: "_count")
        }
    }
}
