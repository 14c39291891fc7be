// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// Shows on standard error how far long work is: a bar on a terminal, elsewhere a line every ten seconds.
///
/// Work that takes less prints nothing elsewhere, and leaves nothing on a terminal.
struct ProgressMeter {
    /// Where the meter is shown.
    enum Place {
        case terminal
        case elsewhere
        case nowhere
    }

    private let place: Place
    /// What is counted, as in `copied 12 of 400 rows`.
    private let verb: String
    private let unit: String
    /// How many there are; `nil` if nobody knows.
    private let total: Int?
    private let clock: any MonotonicClock
    private let write: (String) -> Void
    private let start: Duration
    private var shown: Duration
    private(set) var count = 0

    /// Shows the meter on standard error, unless the command is quiet.
    init(_ verb: String, _ unit: String, of total: Int? = nil, _ console: Console) {
        let isTerminal = StandardStream.error.isTerminal && ProcessEnvironment.value("TERM") != "dumb"
        self.init(
            verb,
            unit,
            of: total,
            at: console.isQuiet ? .nowhere : isTerminal ? .terminal : .elsewhere,
            clock: SystemMonotonicClock()
        ) { StandardStream.error.write($0) }
    }

    init(
        _ verb: String,
        _ unit: String,
        of total: Int?,
        at place: Place,
        clock: any MonotonicClock,
        writing write: @escaping (String) -> Void
    ) {
        (self.place, self.verb, self.unit, self.total) = (place, verb, unit, total)
        self.clock = clock
        self.write = write
        start = clock.elapsed()
        shown = start
    }

    /// Counts what was done, and shows it if it is time.
    mutating func advance(by more: Int) {
        count += more
        let now = clock.elapsed()
        guard now - shown >= (place == .terminal ? .milliseconds(100) : .seconds(10)) else { return }
        shown = now
        switch place {
        case .terminal: write("\r\u{1B}[K" + bar + text(after: now - start))
        case .elsewhere: write(text(after: now - start) + "\n")
        case .nowhere: break
        }
    }

    /// Removes the bar; call it before anything else is printed.
    func finish() {
        if place == .terminal, shown != start { write("\r\u{1B}[K") }
    }

    private var bar: String {
        guard let total, total > 0 else { return "" }
        let width = 24
        let full = min(count, total) * width / total
        return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: width - full) + "] "
    }

    private func text(after elapsed: Duration) -> String {
        guard let total, total > 0, count > 0 else { return "\(verb) \(count) \(unit)" }
        // The number may grow while it is counted.
        let done = min(Double(count) / Double(total), 1)
        let left = Double(elapsed.components.seconds) * (1 - done) / done
        return "\(verb) \(count) of \(total) \(unit) (\(Int(done * 100)) %), about \(Int(left.rounded(.up))) s left"
    }
}
