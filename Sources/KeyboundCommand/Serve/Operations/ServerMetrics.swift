// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPServer
import Synchronization

/// Counters of the server, for Prometheus.
///
/// Label values come from tables of the server, never from a request, so there are few series.
final class ServerMetrics: AuditSink {
    private struct Request: Hashable {
        let path: String
        let method: String
        let status: Int
    }

    private struct Event: Hashable {
        let kind: AuditEvent.Kind
        let detail: String?
    }

    /// Counters of some kinds of events, by their detail.
    private struct Family: Sendable {
        let name: String
        let label: String
        let help: String
        let kinds: [AuditEvent.Kind]

        init(_ name: String, by label: String, _ help: String, _ kinds: AuditEvent.Kind...) {
            (self.name, self.label, self.help, self.kinds) = (name, label, help, kinds)
        }
    }

    private static let families = [
        Family("keybound_tokens_issued_total", by: "grant_type", "Token responses.", .tokenIssued, .tokenRefreshed),
        Family(
            "keybound_proofs_refused_total",
            by: "step",
            "DPoP proofs that were rejected, by the failed step.",
            .proofRejected
        ),
        Family(
            "keybound_attestations_refused_total",
            by: "reason",
            "Client attestations that were rejected, by the reason.",
            .attestationRejected
        ),
        Family(
            "keybound_first_party_answers_total",
            by: "answer",
            "Answers in sign-ins without a browser, by the step and what came of them.",
            .firstPartyStepAnswered,
            .firstPartyStepRefused
        ),
        Family(
            "keybound_requests_refused_total",
            by: "check",
            "Requests that were rejected, by the check.",
            .requestRejected
        ),
        Family(
            "keybound_limits_reached_total",
            by: "limit",
            "Requests that were rate-limited, by the limit.",
            .limitReached
        ),
    ]

    private struct State {
        var requests: [Request: Int] = [:]
        var durations: [String: Histogram] = [:]
        var events: [Event: Int] = [:]
        /// By the message of the listener, of which there are only a few.
        var rejections: [String: Int] = [:]
        var expired = 0
    }

    // Held for a few additions: once for each request and once for each event.
    private let state = Mutex(State())

    func count(_ request: CompletedRequest) {
        let key = Request(path: request.path, method: request.method, status: request.status)
        state.withLock { state in
            state.requests[key, default: 0] += 1
            state.durations[request.path, default: Histogram()].add(microseconds: request.microseconds)
        }
    }

    func count(_ request: RejectedRequest) {
        state.withLock { $0.rejections["\(request.status) \(request.reason)", default: 0] += 1 }
    }

    /// Counts deleted records that had expired.
    func countExpired(_ records: Int) {
        state.withLock { $0.expired += records }
    }

    func record(_ event: AuditEvent) {
        let hasBoundedDetail = event.kind != .clientAdded && event.kind != .userAdded
        let key = Event(kind: event.kind, detail: hasBoundedDetail ? event.detail : nil)
        state.withLock { $0.events[key, default: 0] += 1 }
    }

    /// Writes the counters.
    func write(to text: inout PrometheusText) {
        let state = state.withLock { $0 }
        text.family("keybound_http_requests_total", "counter", "Completed requests.") { text in
            for (request, count) in state.requests.sorted(by: { "\($0.key)" < "\($1.key)" }) {
                text.sample(count, ["endpoint": request.path, "method": request.method, "status": "\(request.status)"])
            }
        }
        text.family("keybound_listener_refusals_total", "counter", "Requests that the listener rejected.") { text in
            for (reason, count) in state.rejections.sorted(by: { $0.key < $1.key }) {
                text.sample(count, ["reason": reason])
            }
        }
        text.single(
            "keybound_expired_records_deleted_total",
            "counter",
            "Expired records that were deleted.",
            Optional(state.expired)
        )
        writeDurations(state.durations, to: &text)
        for family in Self.families { Self.write(family, of: state.events, to: &text) }
        text.family("keybound_events_total", "counter", "Events, as in the audit log.") { text in
            let kinds = Dictionary(state.events.map { ($0.key.kind.rawValue, $0.value) }, uniquingKeysWith: +)
            for (kind, count) in kinds.sorted(by: { $0.key < $1.key }) { text.sample(count, ["event": kind]) }
        }
    }

    private static func write(_ family: Family, of events: [Event: Int], to text: inout PrometheusText) {
        text.family(family.name, "counter", family.help) { text in
            let chosen = events.filter { family.kinds.contains($0.key.kind) }.map { ($0.key.detail ?? "", $0.value) }
            for (detail, count) in chosen.sorted(by: { $0.0 < $1.0 }) { text.sample(count, [family.label: detail]) }
        }
    }

    private func writeDurations(_ durations: [String: Histogram], to text: inout PrometheusText) {
        text.family("keybound_http_request_duration_seconds", "histogram", "Duration of requests.") { text in
            for (path, histogram) in durations.sorted(by: { $0.key < $1.key }) {
                let limits = Histogram.limits.map { "\(Double($0) / 1_000_000)" } + ["+Inf"]
                for (limit, count) in zip(limits, histogram.cumulative) {
                    text.sample(count, ["endpoint": path, "le": limit], suffix: "_bucket")
                }
                text.sample(Double(histogram.sum) / 1_000_000, ["endpoint": path], suffix: "_sum")
                text.sample(histogram.cumulative.last ?? 0, ["endpoint": path], suffix: "_count")
            }
        }
    }
}
