// SPDX-License-Identifier: Apache-2.0

import Dispatch
import JOSE
import OAuthSystem
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("Lines that are written in the background")
struct LineWriterTests {
    private final class Output: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

        func add(_ more: [UInt8]) -> Int {
            bytes.withLock { $0 += more }
            return more.count
        }
    }

    @Test func `all are written, those of each writer in order`() async {
        let output = Output()
        let writer = LineWriter(output: output.add)
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask { for number in 0..<500 { writer.write(Array("\(task) \(number)".utf8)) } }
            }
        }
        await writer.flush()
        let lines = output.text.split(separator: "\n")
        #expect(lines.count == 4000 && writer.lostLines == 0)
        for task in 0..<8 {
            #expect(lines.filter { $0.hasPrefix("\(task) ") } == (0..<500).map { "\(task) \($0)" })
        }
    }

    @Test func `when nobody takes them, memory has an end and the rest is counted`() async {
        let (output, gate) = (Output(), DispatchSemaphore(value: 0))
        let writer = LineWriter(capacity: 1000) { bytes in
            gate.wait()
            return output.add(bytes)
        }
        for _ in 0..<1000 { writer.write(Array("123456789".utf8)) }
        #expect(writer.lostLines >= 800)
        for _ in 0..<1000 { gate.signal() }
        writer.write(Array("last".utf8))
        await writer.flush()
        #expect(output.text.split(separator: "\n").count + writer.lostLines >= 1000)
        #expect(output.text.utf8.count <= 2100)
    }

    @Test(arguments: [true, false]) func `a line of text has the time first, unless somebody adds it`(
        addsTimes: Bool
    ) async {
        let (output, clock) = (Output(), FixedClock(secondsSince1970: 1_562_262_616))
        let log = ServerLog(
            format: .text,
            level: .notice,
            clock: clock,
            addsTimes: addsTimes,
            writer: LineWriter(output: output.add)
        )
        log.notice("one")
        clock.advance(by: .seconds(1))
        log.warn("two")
        log.event(.notice, "refused", text: "three", [:])
        await log.writer.flush()
        let times = ["2019-07-04T17:50:16Z ", "2019-07-04T17:50:17Z ", "2019-07-04T17:50:17Z "]
        let lines = zip(times, ["one", "warning: two", "three"]).map { (addsTimes ? $0 : "") + $1 + "\n" }
        #expect(output.text == lines.joined())
    }

    @Test func `only the stream that $JOURNAL_STREAM names is the journal's`() {
        #expect(!StandardStream.error.isTakenByJournal(nil))
        #expect(!StandardStream.error.isTakenByJournal("1:0"))
    }

    /// A disk with little room.
    private final class SmallDisk: Sendable {
        private let state = Mutex((room: 0, bytes: [UInt8]()))

        var text: String { String(decoding: state.withLock { $0.bytes }, as: UTF8.self) }

        func makeRoom(_ room: Int) {
            state.withLock { $0.room = room }
        }

        func add(_ more: [UInt8]) -> Int {
            state.withLock { state in
                let taken = min(state.room, more.count)
                state.room -= taken
                state.bytes += more.prefix(taken)
                return taken
            }
        }
    }

    @Test func `lines that a full disk does not take are counted, and a torn line ends before the next one`() async {
        let disk = SmallDisk()
        let writer = LineWriter(output: disk.add)
        // Nothing, a piece, nothing, only the end of that piece, and then everything.
        for (line, room, lost) in [("a", 0, 1), ("torn", 3, 2), ("b", 0, 3), ("c", 1, 4), ("d", 100, 4), ("e", 100, 4)]
        {
            disk.makeRoom(room)
            writer.write(Array(line.utf8))
            await writer.flush()
            #expect(writer.lostLines == lost, "\(line)")
        }
        #expect(disk.text == "tor\nd\ne\n")
    }

    #if os(Linux)
    @Test func `a file says how much of the lines it took`() throws {
        let directory = try TemporaryDirectory()
        let taken = try AppendedFile(directory.path + "/audit.log").append(Array("a line\n".utf8))
        #expect(taken.count == 7 && taken.failure == nil)
        #expect(try directory.text(of: "audit.log") == "a line\n")
        let full = try AppendedFile("/dev/full").append(Array("a line\n".utf8))
        #expect(full.count == 0 && full.failure?.message.contains("no space left") == true)
    }
    #endif

    @Test func `a JSON line has the time first, to the millisecond`() {
        let line = JSONLine.bytes(["a": "b\n"], ["c": 1], at: Timestamp(millisecondsSince1970: 1_562_262_616_007))
        #expect(String(decoding: line, as: UTF8.self) == #"{"time":"2019-07-04T17:50:16.007Z","a":"b\u000a","c":1}"#)
        let early = JSONLine.bytes([:], at: Timestamp(millisecondsSince1970: -1))
        #expect(String(decoding: early, as: UTF8.self) == #"{"time":"1969-12-31T23:59:59.999Z"}"#)
    }

    @Test func `labels of metrics are escaped`() {
        var text = PrometheusText()
        text.family("a", "counter", "Help.") { $0.sample(1, ["b": "x\"y\\z\n"]) }
        #expect(text.text == "# HELP a Help.\n# TYPE a counter\na{b=\"x\\\"y\\\\z\\n\"} 1\n")
    }

    @Test func `a histogram counts up to its limits`() {
        var histogram = Histogram()
        for microseconds in [0, 500, 501, 4_000_000, 6_000_000] as [Int64] { histogram.add(microseconds: microseconds) }
        #expect(histogram.cumulative == [2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5])
        #expect(histogram.sum == 10_001_001)
    }
}
