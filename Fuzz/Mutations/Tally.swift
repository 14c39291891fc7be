// SPDX-License-Identifier: Apache-2.0

import DPoP
import Glibc
import TestSupport

/// What became of many changed proofs.
struct Tally {
    /// The longest that one proof may take, in seconds of a processor: a signature takes a ten-thousandth.
    private static let maximumSeconds = 0.05
    /// How much the memory of the program may grow after the first proofs, in KiB.
    private static let maximumGrowth = 65_536
    private static let warmUp = 10_000

    private let count: Int
    private let originals: Int
    private var refused: [String: Int] = [:]
    private var unchanged = 0
    private var twins = 0
    private var slowest = 0.0
    private var seconds = 0.0
    private var growth = 0
    private var remembered = 0
    private(set) var findings: [String] = []

    init(of count: Int, _ trial: inout ProofTrial) {
        self.count = count
        originals = trial.originals.count
        var early = Self.peakMemory()
        for number in 0..<count {
            add(&trial)
            if number == Self.warmUp { early = Self.peakMemory() }
        }
        growth = Self.peakMemory() - early
        remembered = trial.rememberedCount
        judge()
    }

    private mutating func add(_ trial: inout ProofTrial) {
        var verdict = ProofTrial.Verdict.unchanged
        let change = trial
        let time = ProcessorTime.leastSeconds(limit: Self.maximumSeconds) {
            trial = change
            verdict = trial.next()
        }
        slowest = max(slowest, time)
        seconds += time
        switch verdict {
        case .refused(let step): refused[step.name, default: 0] += 1
        case .unchanged: unchanged += 1
        case .twin: twins += 1
        case .finding(let text): findings.append(text)
        }
    }

    private mutating func judge() {
        if slowest > Self.maximumSeconds { findings.append("one proof took \(slowest) s") }
        if growth > Self.maximumGrowth { findings.append("memory grew by \(growth) KiB") }
        if remembered != originals { findings.append("\(remembered) proofs are remembered, not \(originals)") }
        // Else nothing was shown about replay: the mutator does not do its work.
        if count >= Self.warmUp, twins == 0 { findings.append("no twin of a proof was tried") }
    }

    var report: String {
        let steps = refused.sorted { $0.value > $1.value }.map { "  refused by \($0.key): \($0.value)" }
        return """
            \(count) changed proofs of \(originals)
            \(steps.joined(separator: "\n"))
              refused by replay: \(unchanged) that are the original again, \(twins) with the twin of its signature
              \(Int(seconds * 1e9) / max(1, count)) ns each, the slowest \(Int(slowest * 1e6)) µs of a processor
              memory grew by \(growth) KiB, \(remembered) proofs remembered
            """
    }

    /// The most memory that the program has had so far, in KiB.
    private static func peakMemory() -> Int {
        var usage = rusage()
        unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_maxrss
    }
}
