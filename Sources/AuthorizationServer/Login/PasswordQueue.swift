// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The passwords that wait to be hashed: sources take turns, so that one that floods waits behind itself.
///
/// Decides, and does nothing: it has no threads and no clock.
struct PasswordQueue<Job> {
    /// The result of ``add(_:from:at:)``.
    enum Admission: Equatable {
        case waiting
        /// The source has too many waiting already.
        case sourceIsFull
        /// All places are taken.
        case isFull
    }

    private struct Entry {
        let job: Job
        let since: ContinuousClock.Instant
    }

    /// The queue of known users, or of everyone else.
    private struct Line {
        var entries: [PasswordSource: [Entry]] = [:]
        /// The sources that wait; the first one has the next turn.
        var turns: [PasswordSource] = []
        var count = 0
    }

    /// How many passwords of one source may wait.
    static var perSource: Int { 4 }
    /// The same for ``PasswordSource/unknown``, where users may be behind one another.
    static var ofUnknown: Int { 16 }
    /// How many may wait in all.
    static var total: Int { 512 }
    /// How many of these places are for known users only.
    static var reserved: Int { 128 }
    /// How long a password waits at most; a browser shows nothing in the meantime.
    static var patience: Duration { .seconds(10) }

    private let threads: Int
    private var known = Line()
    private var others = Line()
    private var running: [PasswordSource: Int] = [:]
    private var lastWasKnown = false

    /// - Parameter threads: How many passwords may be hashed at once.
    init(threads: Int) {
        self.threads = threads
    }

    /// How many wait.
    var count: Int { known.count + others.count }

    /// Queues a password.
    mutating func add(_ job: Job, from source: PasswordSource, at now: ContinuousClock.Instant) -> Admission {
        let admission = admission(of: source)
        guard admission == .waiting else { return admission }
        let entry = Entry(job: job, since: now)
        if source.isKnown {
            Self.append(entry, of: source, to: &known)
        } else {
            Self.append(entry, of: source, to: &others)
        }
        return .waiting
    }

    /// Whether there is a place for a password.
    func admission(of source: PasswordSource) -> Admission {
        let line = source.isKnown ? known : others
        guard line.entries[source, default: []].count < (source == .unknown ? Self.ofUnknown : Self.perSource)
        else { return .sourceIsFull }
        guard count < Self.total, source.isKnown || others.count < Self.total - Self.reserved else { return .isFull }
        return .waiting
    }

    /// Takes the password that is hashed next, if a thread is free.
    ///
    /// Known users come first, but of two places that get free one goes to the others. ``finished(_:)`` must follow.
    mutating func next() -> (job: Job, source: PasswordSource)? {
        guard running.values.reduce(0, +) < threads else { return nil }
        let order = lastWasKnown ? [false, true] : [true, false]
        for isKnown in order {
            guard let (entry, source) = isKnown ? take(from: &known) : take(from: &others) else { continue }
            running[source, default: 0] += 1
            lastWasKnown = isKnown
            return (entry.job, source)
        }
        return nil
    }

    /// A password that was taken is hashed.
    mutating func finished(_ source: PasswordSource) {
        let count = running.removeValue(forKey: source) ?? 1
        if count > 1 { running[source] = count - 1 }
    }

    /// Removes those that have waited for too long.
    mutating func expire(at now: ContinuousClock.Instant) -> [Job] {
        Self.expire(in: &known, at: now) + Self.expire(in: &others, at: now)
    }

    private static func append(_ entry: Entry, of source: PasswordSource, to line: inout Line) {
        if line.entries[source] == nil { line.turns.append(source) }
        line.entries[source, default: []].append(entry)
        line.count += 1
    }

    /// The oldest password of the source whose turn it is.
    ///
    /// No source takes all threads: the next one would have to wait for a whole password. An unknown source may be all
    /// users of the server.
    private func take(from line: inout Line) -> (Entry, PasswordSource)? {
        let index = line.turns.firstIndex { source in
            source == .unknown || running[source, default: 0] < max(1, threads - 1)
        }
        guard let index else { return nil }
        let source = line.turns.remove(at: index)
        guard var entries = line.entries.removeValue(forKey: source), !entries.isEmpty else { return nil }
        let entry = entries.removeFirst()
        line.count -= 1
        if !entries.isEmpty {
            line.entries[source] = entries
            line.turns.append(source)
        }
        return (entry, source)
    }

    private static func expire(in line: inout Line, at now: ContinuousClock.Instant) -> [Job] {
        var expired: [Job] = []
        for (source, entries) in line.entries {
            let rest = entries.drop { $0.since.duration(to: now) >= patience }
            guard rest.count < entries.count else { continue }
            expired += entries.dropLast(rest.count).map(\.job)
            line.entries[source] = rest.isEmpty ? nil : Array(rest)
            if rest.isEmpty { line.turns.removeAll { $0 == source } }
        }
        line.count -= expired.count
        return expired
    }
}

extension PasswordSource {
    /// Whether places are kept for the source.
    fileprivate var isKnown: Bool {
        if case .knownUser = self { true } else { false }
    }
}
