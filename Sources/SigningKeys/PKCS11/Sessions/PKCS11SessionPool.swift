// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import OAuthSystem
import Synchronization

/// The sessions of a store, opened on demand up to a limit.
///
/// Each has its own queue, because module calls block. A call goes to the shortest queue, so a single call always gets
/// the first session.
final class PKCS11SessionPool: Sendable {
    /// The queues in use.
    private struct Queues {
        /// The number of calls in each.
        var waiting: [Int]
        /// Until when new calls go to other queues; for the first one, always the past.
        private var closedUntil: [Duration]

        init(count: Int, at now: Duration) {
            waiting = [Int](repeating: 0, count: count)
            closedUntil = [Duration](repeating: now, count: count)
        }

        func isClosed(_ index: Int, at now: Duration) -> Bool { closedUntil[index] > now }

        mutating func close(_ index: Int, until end: Duration) { closedUntil[index] = end }
    }

    /// How long a queue stays closed: a shortage may be one of a moment.
    private static let pause = Duration.seconds(60)

    let token: PKCS11Token
    private let clock: any MonotonicClock
    private let lanes: [PKCS11SessionThread]
    private let queues: Mutex<Queues>

    init(_ token: PKCS11Token, maximumCount: Int, clock: any MonotonicClock) {
        self.token = token
        self.clock = clock
        lanes = (0..<max(1, maximumCount)).map { _ in PKCS11SessionThread(token) }
        queues = Mutex(Queues(count: lanes.count, at: clock.elapsed()))
    }

    /// Runs a function with a session; for `stay` see ``PKCS11SessionThread/run(mayStay:_:)``.
    ///
    /// If the token has no session left (PKCS #11 2.40, section 5.6, `C_OpenSession`), sessions of this store are given
    /// back to it, and the function runs again in the first queue.
    func run<Value: Sendable>(
        mayStay: Bool = false,
        _ body: @escaping @Sendable (PKCS11Session) throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        var lane = enter()
        // Each round gives back a session or closes a queue; others may take the session first.
        for _ in lanes {
            do throws(KeyStoreError) {
                let value = try await lanes[lane].run(mayStay: mayStay, body)
                leave(lane)
                return value
            } catch {
                leave(lane)
                guard error.status?.value == CKR_SESSION_COUNT, try await giveBackSessions(after: lane) else {
                    throw error
                }
            }
            lane = enter(0)
        }
        defer { leave(lane) }
        return try await lanes[lane].run(mayStay: mayStay, body)
    }

    /// Gives sessions back to the token after a call of one queue got none.
    ///
    /// A queue other than the first that gets no session is closed for a minute, and those after it: the token has fewer
    /// sessions than the store may use, or other programs have taken them for a while. Then they are tried again. The
    /// first queue needs a session, and another one that can write, for a moment: sessions that nobody uses are enough
    /// for that. If all are in use, one queue gives its session back and is closed. If no queue has one, all stay open.
    ///
    /// - Returns: Whether it may help to try again.
    private func giveBackSessions(after lane: Int) async throws(KeyStoreError) -> Bool {
        let now = clock.elapsed()
        let unused = queues.withLock { queues -> [Int] in
            if lane > 0 { for index in lane..<lanes.count { queues.close(index, until: now + Self.pause) } }
            return lanes.indices.dropFirst().filter { queues.isClosed($0, at: now) || queues.waiting[$0] == 0 }
        }
        var hasGivenBack = lane > 0
        for index in unused where try await lanes[index].giveBackSession() { hasGivenBack = true }
        if hasGivenBack { return true }
        for index in lanes.indices.dropFirst().reversed() {
            if try await giveBackSession(closing: index) { return true }
        }
        return false
    }

    /// Closes a queue if it gives a session back.
    ///
    /// It is closed before that: a call that comes meanwhile would take the session again.
    private func giveBackSession(closing index: Int) async throws(KeyStoreError) -> Bool {
        let now = clock.elapsed()
        let wasOpen = queues.withLock { queues -> Bool in
            guard !queues.isClosed(index, at: now) else { return false }
            queues.close(index, until: now + Self.pause)
            return true
        }
        // Another call has closed it, and gives its session back.
        guard wasOpen else { return false }
        if try await lanes[index].giveBackSession() { return true }
        queues.withLock { $0.close(index, until: now) }
        return false
    }

    private func enter(_ lane: Int) -> Int {
        queues.withLock { $0.waiting[lane] += 1 }
        return lane
    }

    private func enter() -> Int {
        let now = clock.elapsed()
        return queues.withLock { queues in
            var lane = 0
            for index in lanes.indices
            where queues.waiting[index] < queues.waiting[lane] && !queues.isClosed(index, at: now) {
                lane = index
            }
            queues.waiting[lane] += 1
            return lane
        }
    }

    private func leave(_ lane: Int) {
        queues.withLock { $0.waiting[lane] -= 1 }
    }
}
#endif
