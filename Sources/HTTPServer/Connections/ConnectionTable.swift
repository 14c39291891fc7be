// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import HTTPMessage
import Synchronization

/// All open connections of a listener: gives each address its share, and disconnects clients that keep it waiting.
final class ConnectionTable: Sendable {
    private struct Share {
        /// How many connections count against the address, those that no thread serves yet among them.
        var count = 0
        var records: [ObjectIdentifier: ConnectionRecord] = [:]
    }

    private struct State {
        var records: [ObjectIdentifier: ConnectionRecord] = [:]
        var shares: [IPAddress: Share] = [:]
        /// Connections whose clients had closed their side at the last look, and what the connection waited for then.
        var halfClosed: [ObjectIdentifier: ConnectionRecord.Moment] = [:]
        /// Counted together with the cut: who sees a connection end finds it counted.
        var cuts: [ConnectionCutReason: Int] = [:]
    }

    private let limits: HTTPListenerLimits
    private let state = Mutex(State())

    init(limits: HTTPListenerLimits) {
        self.limits = limits
    }

    /// How many clients were disconnected for a reason.
    func cutCount(_ reason: ConnectionCutReason) -> Int { state.withLock { $0.cuts[reason] ?? 0 } }

    // MARK: Shares

    /// Counts a new connection against its address.
    ///
    /// If the address has its share already, the connection takes the place of another one of that address, which is
    /// disconnected.
    ///
    /// - Returns: Whether the connection may be served; if so, either ``opened(_:)`` or ``abandoned(_:)`` must follow.
    func admit(_ peer: ConnectionPeer, at now: Int64 = CoarseClock.milliseconds()) -> Bool {
        guard let address = peer.counted, let limit = limits.connectionsPerPeer else { return true }
        return state.withLock { state in
            var share = state.shares.removeValue(forKey: address) ?? Share()
            defer { state.shares[address] = share }
            if share.count < max(limit, 1) {
                share.count += 1
                return true
            }
            state.cuts[.peer, default: 0] += 1
            return Self.replaceOldest(of: &share, at: now)
        }
    }

    /// Releases the share of an admitted connection that could not be served.
    func abandoned(_ peer: ConnectionPeer) {
        guard let address = peer.counted else { return }
        state.withLock { Self.release(address, &$0) }
    }

    /// A thread serves an admitted connection.
    func opened(_ record: ConnectionRecord) {
        state.withLock { state in
            state.records[ObjectIdentifier(record)] = record
            guard let address = record.peer.counted else { return }
            state.shares[address]?.records[ObjectIdentifier(record)] = record
        }
    }

    /// Must be called before the connection's descriptor is closed.
    func closed(_ record: ConnectionRecord) {
        state.withLock { state in
            let key = ObjectIdentifier(record)
            state.records[key] = nil
            state.halfClosed[key] = nil
            guard let address = record.peer.counted,
                // Otherwise another connection has its place.
                state.shares[address]?.records.removeValue(forKey: key) != nil
            else { return }
            Self.release(address, &state)
        }
    }

    private static func release(_ address: IPAddress, _ state: inout State) {
        guard var share = state.shares.removeValue(forKey: address) else { return }
        share.count -= 1
        if share.count > 0 { state.shares[address] = share }
    }

    /// Disconnects the connection that has waited longest for a request; a request in progress is never lost.
    private static func replaceOldest(of share: inout Share, at now: Int64) -> Bool {
        let idle = share.records.values.map { (record: $0, moment: $0.moment) }.filter(\.moment.stage.isIdle)
        guard let oldest = idle.min(by: { $0.moment.since < $1.moment.since }),
            oldest.record.cut(from: oldest.moment, at: now)
        else { return false }
        share.records[ObjectIdentifier(oldest.record)] = nil
        return true
    }

    /// Disconnects the connection that has been kept longest for another request, because a new one waits for its place.
    ///
    /// Does nothing while so many places are about to be free that the caller has enough to do.
    func makeRoom(at now: Int64 = CoarseClock.milliseconds()) {
        state.withLock { state in
            var (closing, oldest) = (0, (record: ConnectionRecord, moment: ConnectionRecord.Moment)?.none)
            for record in state.records.values {
                let moment = record.moment
                if moment.stage == .cut { closing += 1 }
                if moment.stage == .kept, moment.since < oldest?.moment.since ?? .max { oldest = (record, moment) }
            }
            guard closing < Self.roomAtOnce, let oldest, oldest.record.cut(from: oldest.moment, at: now) else { return }
            state.cuts[.full, default: 0] += 1
        }
    }

    /// How many connections may be disconnected and not yet closed for ``makeRoom(at:)`` to disconnect another one.
    private static let roomAtOnce = 16

    // MARK: Deadlines

    /// Disconnects clients that are late, and those that closed their side before their request was complete.
    func enforceDeadlines(at now: Int64 = CoarseClock.milliseconds()) {
        state.withLock { state in
            var receiving: [(record: ConnectionRecord, moment: ConnectionRecord.Moment)] = []
            for record in state.records.values {
                let moment = record.moment
                if let timeout = timeout(of: record, in: moment.stage), moment.since < now - timeout.milliseconds {
                    if record.cut(from: moment, at: now), let reason = Self.reason(moment.stage) {
                        state.cuts[reason, default: 0] += 1
                    }
                } else if moment.stage.isReceiving {
                    receiving.append((record, moment))
                }
            }
            cutHalfClosed(receiving, &state, at: now)
        }
    }

    /// How often ``enforceDeadlines(at:)`` must run for deadlines to be met to about an eighth.
    ///
    /// At least every 250 ms, because a connection counts as half-closed only at the second look.
    var interval: Duration {
        let shortest = min(limits.headTimeout, limits.bodyTimeout, limits.keepAliveTimeout, limits.answerTimeout)
        return min(max(shortest / 8, .milliseconds(20)), .milliseconds(250))
    }

    private func timeout(of record: ConnectionRecord, in stage: ConnectionStage) -> Duration? {
        switch stage {
        case .head: limits.headTimeout
        case .body: limits.bodyTimeout
        case .answer: limits.answerTimeout
        case .kept: record.peer.isTrusted ? limits.trustedKeepAliveTimeout : limits.keepAliveTimeout
        case .handler, .cut: nil
        }
    }

    private static func reason(_ stage: ConnectionStage) -> ConnectionCutReason? {
        switch stage {
        case .head: .head
        case .body: .body
        case .answer: .answer
        case .handler, .kept, .cut: nil
        }
    }

    /// Disconnects clients that closed their side before their request was complete.
    ///
    /// The library is told once that there is something to read. If the end of the stream came with the last bytes, it
    /// never looks again.
    ///
    /// A complete request is answered even if its client closed its side after it (RFC 9112 section 9.6). Such a request
    /// may be unread, or read and not yet at its handler, while its thread is busy. So a connection is disconnected only
    /// if nothing is left to read, and nothing happened since the last look. ``ConnectionPointer/suspend()`` provides for
    /// those whose handler is suspended.
    private func cutHalfClosed(
        _ receiving: [(record: ConnectionRecord, moment: ConnectionRecord.Moment)],
        _ state: inout State,
        at now: Int64
    ) {
        var questions = receiving.map(\.record.question)
        guard unsafe poll(&questions, nfds_t(questions.count), 0) > 0 else {
            state.halfClosed = [:]
            return
        }
        var seen: [ObjectIdentifier: ConnectionRecord.Moment] = [:]
        for (question, (record, moment)) in zip(questions, receiving) where question.revents != 0 && record.isDrained {
            let key = ObjectIdentifier(record)
            if state.halfClosed[key] != moment {
                seen[key] = moment
            } else if record.cut(from: moment, at: now) {
                state.cuts[.closed, default: 0] += 1
            }
        }
        state.halfClosed = seen
    }
}
#endif
