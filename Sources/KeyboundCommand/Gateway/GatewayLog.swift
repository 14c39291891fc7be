// SPDX-License-Identifier: Apache-2.0

import Gateway
import OAuthSystem
import StrictJSON
import Synchronization

/// The lines of a gateway about its decisions.
///
/// At most ``linesPerSecond`` lines about refusals are written in a second, so that a flood of bad requests fills no disk;
/// the others are counted.
final class GatewayLog: Sendable {
    static let linesPerSecond = 100

    private struct Window {
        var second: Int64 = 0
        var lines = 0
        var dropped = 0
    }

    private let log: ServerLog
    private let clock: any WallClock
    private let window = Mutex(Window())

    init(_ log: ServerLog, clock: any WallClock = SystemWallClock()) {
        self.log = log
        self.clock = clock
    }

    /// How many lines about refusals were not written.
    var droppedLines: Int { window.withLock { $0.dropped } }

    func decision(_ decision: GatewayDecision) {
        if decision.outcome.isPass {
            log.event(.info, "passed", text: Self.text(decision), Self.members(decision))
            return
        }
        guard mayWrite() else { return }
        let level: LogLevel = decision.outcome == .misconfiguredProxy ? .error : .notice
        log.event(level, "refused", text: Self.text(decision), Self.members(decision))
    }

    private func mayWrite() -> Bool {
        let second = clock.now().secondsSince1970
        return window.withLock { window in
            if window.second != second { (window.second, window.lines) = (second, 0) }
            window.lines += 1
            if window.lines > Self.linesPerSecond { window.dropped += 1 }
            return window.lines <= Self.linesPerSecond
        }
    }

    private static func text(_ decision: GatewayDecision) -> String {
        let words = [
            decision.outcome.isPass ? "passed" : "refused", "\(decision.status)", decision.method ?? "-",
            (decision.api ?? "") + (decision.path ?? "-"), decision.clientAddress ?? "-", decision.outcome.name,
        ]
        return (words + [decision.detail].compactMap(\.self)).joined(separator: " ")
    }

    private static func members(_ decision: GatewayDecision) -> JSONObject {
        var members: JSONObject = [
            "reason": .string(decision.outcome.name), "status": .number(JSONNumber(Int64(decision.status))),
        ]
        let texts: KeyValuePairs = [
            "api": decision.api, "rule": decision.rule, "method": decision.method, "path": decision.path,
            "address": decision.clientAddress, "request_id": decision.requestID, "trace_id": decision.traceID,
            "check": decision.check, "detail": decision.detail, "iss": decision.issuer, "sub": decision.subject,
            "client_id": decision.clientID,
        ]
        for (name, text) in texts { members[name] = text.map { .string($0) } }
        return members
    }
}
