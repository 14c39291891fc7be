// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import TestSupport
import Testing

@testable import AuthorizationServer

@Suite("Passwords that wait: sources take turns")
struct PasswordQueueTests {
    private let start = ContinuousClock.now

    private func address(_ number: Int) -> PasswordSource {
        IPAddress(parsing: "192.0.\(number / 250).\(number % 250)").map { .address($0) } ?? .unknown
    }

    private func drain(_ queue: inout PasswordQueue<String>) -> [String] {
        var order: [String] = []
        while let (job, source) = queue.next() {
            order.append(job)
            queue.finished(source)
        }
        return order
    }

    @Test func `each source waits behind itself`() {
        var queue = PasswordQueue<String>(threads: 1)
        for (job, number) in [("a1", 1), ("a2", 1), ("a3", 1), ("b1", 2), ("b2", 2), ("c1", 3)] {
            #expect(queue.add(job, from: address(number), at: start) == .waiting)
        }
        #expect(drain(&queue) == ["a1", "b1", "c1", "a2", "b2", "a3"])
        #expect(queue.count == 0)
    }

    @Test func `of two places one goes to known users, the other to the rest`() {
        var queue = PasswordQueue<String>(threads: 1)
        for number in 1...3 {
            #expect(queue.add("o\(number)", from: address(number), at: start) == .waiting)
            #expect(queue.add("k\(number)", from: .knownUser("\(number)"), at: start) == .waiting)
        }
        #expect(drain(&queue) == ["k1", "o1", "k2", "o2", "k3", "o3"])
    }

    @Test func `a source has four places, unknown ones share sixteen`() {
        var queue = PasswordQueue<String>(threads: 1)
        for (source, places) in [(address(1), 4), (.knownUser("ada"), 4), (.unknown, 16)] {
            for _ in 0..<places { #expect(queue.add("", from: source, at: start) == .waiting) }
            #expect(queue.add("", from: source, at: start) == .sourceIsFull)
        }
    }

    @Test func `128 of 512 places are for known users only`() {
        var queue = PasswordQueue<String>(threads: 1)
        for number in 0..<384 { #expect(queue.add("", from: address(number), at: start) == .waiting) }
        #expect(queue.add("", from: address(1000), at: start) == .isFull)
        for number in 0..<128 { #expect(queue.add("", from: .knownUser("\(number)"), at: start) == .waiting) }
        #expect(queue.add("", from: .knownUser("x"), at: start) == .isFull)
    }

    @Test(arguments: [(1, 1), (2, 1), (4, 3)])
    func `one source takes all threads but one`(threads: Int, most: Int) {
        var queue = PasswordQueue<String>(threads: threads)
        for _ in 0..<4 { _ = queue.add("a", from: address(1), at: start) }
        var taken = 0
        while queue.next() != nil { taken += 1 }
        #expect(taken == most)
        _ = queue.add("b", from: address(2), at: start)
        #expect(queue.next()?.job == (threads > 1 ? "b" : nil))
        queue.finished(address(1))
        #expect(queue.next()?.job == "a")
    }

    @Test func `nobody waits for more than ten seconds`() {
        var queue = PasswordQueue<String>(threads: 1)
        _ = queue.add("old", from: address(1), at: start)
        _ = queue.add("new", from: address(1), at: start + .seconds(5))
        _ = queue.add("other", from: .knownUser("ada"), at: start)
        #expect(queue.expire(at: start + .seconds(9)).isEmpty)
        #expect(queue.expire(at: start + .seconds(10)).sorted() == ["old", "other"])
        #expect(queue.count == 1)
        #expect(drain(&queue) == ["new"])
    }

    /// What a random schedule has to keep, whatever it does.
    private struct Model {
        struct Waiting {
            let job: Int
            let source: PasswordSource
            /// After how many others of its class it must have begun; `nil` if something delays it.
            var turn: Int?
        }

        let threads: Int
        var waiting: [Waiting] = []
        var running: [PasswordSource] = []
        /// What was not kept; `#expect` would take most of the time.
        var problems: [String] = []

        mutating func add(_ job: Int, from source: PasswordSource) {
            let others = waiting.filter { $0.source.isUser == source.isUser }
            // Only what waits alone, with none of its source at work, has a turn that nothing delays.
            let isAlone = !running.contains(source) && !others.contains { $0.source == source }
            let turn = isAlone ? Set(others.map(\.source)).count : nil
            waiting.append(Waiting(job: job, source: source, turn: turn))
        }

        mutating func begin(_ job: Int, of source: PasswordSource) {
            guard let index = waiting.firstIndex(where: { $0.job == job && $0.source == source }) else {
                problems.append("\(job) was not waiting")
                return
            }
            if let turn = waiting.remove(at: index).turn, turn < 0 { problems.append("\(source) waited for too many") }
            running.append(source)
            if running.count > threads { problems.append("more than \(threads) at work") }
            if running.count(where: { $0 == source }) > max(1, threads - 1) {
                problems.append("\(source) has all threads")
            }
            for index in waiting.indices where waiting[index].source.isUser == source.isUser {
                waiting[index].turn = waiting[index].turn.map { $0 - 1 }
            }
        }
    }

    @Test(.computesForLong)
    func `in ten thousand schedules a source waits for one password of each other source, and none is lost`() {
        let sources = (0..<6).map(address) + (0..<6).map { .knownUser("\($0)") }
        for seed in 0..<10_000 {
            var random = SeededGenerator(seed: UInt64(seed))
            var model = Model(threads: Int.random(in: 1...4, using: &random))
            var queue = PasswordQueue<Int>(threads: model.threads)
            func step(_ job: Int?) {
                if let job {
                    let source = sources[Int.random(in: 0..<12, using: &random)]
                    guard queue.add(job, from: source, at: start) == .waiting else { return }
                    model.add(job, from: source)
                } else if !model.running.isEmpty {
                    queue.finished(model.running.remove(at: Int.random(in: 0..<model.running.count, using: &random)))
                }
                while let (job, source) = queue.next() { model.begin(job, of: source) }
                if queue.count != model.waiting.count { model.problems.append("some are lost") }
            }
            for job in 0..<30 { step(Int.random(in: 0..<3, using: &random) < 2 ? job : nil) }
            while !model.running.isEmpty { step(nil) }
            if !model.waiting.isEmpty { model.problems.append("some wait for ever") }
            #expect(model.problems.isEmpty, "seed \(seed)")
        }
    }
}

extension PasswordSource {
    fileprivate var isUser: Bool {
        if case .knownUser = self { true } else { false }
    }
}
