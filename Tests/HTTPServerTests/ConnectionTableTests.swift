// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import Testing

@testable import HTTPServer

@Suite("HTTP listener: table of connections")
struct ConnectionTableTests {
    /// A connection in a table, and its client.
    private final class Pair {
        let record: ConnectionRecord
        private let (client, server): (CInt, CInt)

        init(_ address: String = "192.0.2.1", _ limits: HTTPListenerLimits = HTTPListenerLimits(), at time: Int64 = 0) {
            var ends: [CInt] = [-1, -1]
            _ = unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends)
            (client, server) = (ends[0], ends[1])
            record = ConnectionRecord(descriptor: ends[1], peer: ConnectionPeer(address, limits: limits), at: time)
        }

        deinit {
            close(client)
            close(server)
        }

        var isCut: Bool { record.moment.stage == .cut }

        func send() { _ = unsafe write(client, "x", 1) }

        func read() {
            var byte: UInt8 = 0
            _ = unsafe recv(server, &byte, 1, 0)
        }

        func finish() { shutdown(client, CInt(SHUT_WR)) }
    }

    @Test(arguments: [
        (ConnectionStage.head, 10_000 as Int64, ConnectionCutReason.head as ConnectionCutReason?),
        (.body, 20_000, .body), (.kept, 30_000, nil), (.answer, 60_000, .answer),
    ])
    func `each stage has its own deadline`(stage: ConnectionStage, time: Int64, reason: ConnectionCutReason?) {
        let (table, pair) = (ConnectionTable(limits: HTTPListenerLimits()), Pair())
        table.opened(pair.record)
        pair.record.enter(stage, at: 1000)
        table.enforceDeadlines(at: 1000 + time)
        #expect(!pair.isCut)
        table.enforceDeadlines(at: 1001 + time)
        #expect(pair.isCut)
        for other in ConnectionCutReason.allCases { #expect(table.cutCount(other) == (other == reason ? 1 : 0)) }
        table.closed(pair.record)
    }

    @Test func `a handler has none here, and a proxy's connection is kept longer`() {
        let table = ConnectionTable(limits: HTTPListenerLimits())
        let (working, proxy) = (Pair(), Pair("127.0.0.1"))
        for pair in [working, proxy] { table.opened(pair.record) }
        working.record.enter(.handler, at: 0)
        proxy.record.enter(.kept, at: 0)
        table.enforceDeadlines(at: 150_000)
        #expect(!proxy.isCut)
        table.enforceDeadlines(at: 150_001)
        #expect(proxy.isCut && !working.isCut)
    }

    @Test(arguments: [ConnectionStage.head, .body, .kept])
    func `a client that closed its side is cut at the second look`(stage: ConnectionStage) {
        let (table, pair) = (ConnectionTable(limits: HTTPListenerLimits()), Pair())
        table.opened(pair.record)
        pair.record.enter(stage, at: 0)
        pair.finish()
        table.enforceDeadlines(at: 1)
        #expect(!pair.isCut)
        table.enforceDeadlines(at: 2)
        #expect(pair.isCut)
        #expect(table.cutCount(.closed) == 1)
    }

    @Test(arguments: [ConnectionStage.handler, .answer])
    func `nobody is cut whose request is complete`(stage: ConnectionStage) {
        let (table, pair) = (ConnectionTable(limits: HTTPListenerLimits()), Pair())
        table.opened(pair.record)
        pair.record.enter(stage, at: 0)
        pair.finish()
        for time in 1...10 { table.enforceDeadlines(at: Int64(time)) }
        #expect(!pair.isCut)
    }

    @Test func `nor while something is unread, or happened since the last look`() {
        let (table, pair) = (ConnectionTable(limits: HTTPListenerLimits()), Pair())
        table.opened(pair.record)
        pair.send()
        pair.finish()
        for time in 1...10 { table.enforceDeadlines(at: Int64(time)) }
        #expect(!pair.isCut)
        pair.read()
        table.enforceDeadlines(at: 11)
        pair.record.enter(.body, at: 11)
        table.enforceDeadlines(at: 12)
        #expect(!pair.isCut)
        table.enforceDeadlines(at: 13)
        #expect(pair.isCut)
    }

    @Test func `an address that has its share loses the connection that has waited longest for a request`() {
        var limits = HTTPListenerLimits()
        limits.connectionsPerPeer = 4
        let table = ConnectionTable(limits: limits)
        let pairs = (0..<4).map { _ in Pair("192.0.2.1", limits) }
        for pair in pairs {
            #expect(table.admit(pair.record.peer, at: 0))
            table.opened(pair.record)
        }
        pairs[0].record.enter(.kept, at: 30)
        pairs[1].record.enter(.handler, at: 1)
        pairs[2].record.enter(.kept, at: 20)
        pairs[3].record.enter(.body, at: 1)
        let new = Pair("192.0.2.1", limits)
        #expect(table.admit(new.record.peer, at: 40))
        #expect(pairs.map(\.isCut) == [false, false, true, false])
        // Its place is taken: that it closes frees none.
        table.closed(pairs[2].record)
        #expect(table.admit(new.record.peer, at: 40))
        #expect(pairs.map(\.isCut) == [true, false, true, false])
        #expect(!table.admit(new.record.peer, at: 40))
        #expect(table.cutCount(.peer) == 3)
        #expect(table.admit(Pair("192.0.2.2", limits).record.peer, at: 40))
        table.abandoned(new.record.peer)
        #expect(table.admit(new.record.peer, at: 40))
    }

    @Test func `room for a new connection is that of the one that was kept longest`() {
        let table = ConnectionTable(limits: HTTPListenerLimits())
        let pairs = (0..<20).map { _ in Pair("127.0.0.1") }
        for (number, pair) in pairs.enumerated() {
            table.opened(pair.record)
            pair.record.enter(number == 0 ? .head : number == 1 ? .handler : .kept, at: Int64(20 - number))
        }
        table.makeRoom(at: 30)
        #expect(pairs.map(\.isCut) == [Bool](repeating: false, count: 19) + [true])
        // No more than sixteen at a time.
        for _ in 0..<30 { table.makeRoom(at: 30) }
        #expect(pairs.count(where: \.isCut) == 16)
        table.closed(pairs[19].record)
        for _ in 0..<30 { table.makeRoom(at: 30) }
        #expect(pairs.count(where: \.isCut) == 17)
        #expect(!pairs[0].isCut && !pairs[1].isCut)
        #expect(table.cutCount(.full) == 17)
    }

    @Test func `the addresses of one IPv6 network share`() {
        var limits = HTTPListenerLimits()
        limits.connectionsPerPeer = 1
        let table = ConnectionTable(limits: limits)
        #expect(table.admit(ConnectionPeer("2001:db8::1", limits: limits), at: 0))
        #expect(!table.admit(ConnectionPeer("2001:db8::2", limits: limits), at: 0))
        #expect(table.admit(ConnectionPeer("2001:db8:0:1::1", limits: limits), at: 0))
    }
}
#endif
