// SPDX-License-Identifier: Apache-2.0

import Glibc
import StrictJSON
import Synchronization

/// What the clients of a cluster saw: lines of JSON as it happens, and counts at the end.
final class ClusterReport: Sendable {
    /// What must never happen.
    enum Violation: String, Sendable {
        /// Something was accepted a second time.
        case double
        /// Something that was answered is unknown.
        case loss
        /// An answer that is neither right nor "not now".
        case wrong
    }

    /// What is counted.
    struct Counts: Sendable {
        var requests = 0
        var families = 0
        var refreshes = 0
        /// Proofs and codes that were sent again after they had been accepted.
        var replays = 0
        /// Codes and tokens that were refused after an attempt whose outcome nobody learned.
        var refusedInDoubt = 0
    }

    private let counts = Mutex(Counts())

    /// Changes the counts.
    func count(_ change: (inout Counts) -> Void) {
        counts.withLock { change(&$0) }
    }

    /// A request that got no answer, or "not now".
    func error(_ kind: String, from start: Double, to end: Double, _ purpose: String) {
        printLine([
            "error": .string(kind), "from": Row.number(start), "to": Row.number(end), "purpose": .string(purpose),
        ])
    }

    /// A client that was answered again.
    func outage(from start: Double, to end: Double) {
        printLine(["outage": Row.number(end - start), "from": Row.number(start), "to": Row.number(end)])
    }

    /// Something that must never happen.
    func violation(_ kind: Violation, _ text: String) {
        printLine([
            "violation": .string(kind.rawValue), "at": Row.number(ThreadTime.wall()), "text": .string(text),
        ])
    }

    /// Prints the counts.
    func finish() {
        let counts = counts.withLock { $0 }
        func number(_ value: Int) -> JSONValue { .number(JSONNumber(Int64(value))) }
        printLine([
            "requests": number(counts.requests), "families": number(counts.families),
            "refreshes": number(counts.refreshes), "replays": number(counts.replays),
            "refusedInDoubt": number(counts.refusedInDoubt),
        ])
    }

    /// Writes a line at once.
    ///
    /// Not with `print` and `fflush(nil)`, which waits for the thread that reads standard input.
    private func printLine(_ object: JSONObject) {
        let line = JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
        // Lines of less than 4 KiB come out of a pipe whole, whichever thread writes them.
        _ = unsafe line.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
