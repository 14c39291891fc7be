// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
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
        /// Whether new calls go to other queues; never the first one.
        var isClosed: [Bool]

        init(count: Int) {
            waiting = [Int](repeating: 0, count: count)
            isClosed = [Bool](repeating: false, count: count)
        }
    }

    let token: PKCS11Token
    private let lanes: [PKCS11SessionThread]
    private let queues: Mutex<Queues>

    init(_ token: PKCS11Token, maximumCount: Int) {
        self.token = token
        lanes = (0..<max(1, maximumCount)).map { _ in PKCS11SessionThread(token) }
        queues = Mutex(Queues(count: lanes.count))
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
    /// Queues other than the first that get no session are closed for good: the token has fewer sessions than the store may
    /// use. The first queue needs a session, and another one that can write, for a moment: sessions that nobody uses are
    /// enough for that. If all are in use, one queue gives its session back and is closed. If no queue has one, as when
    /// other programs have taken them all for a while, all stay open.
    ///
    /// - Returns: Whether it may help to try again.
    private func giveBackSessions(after lane: Int) async throws(KeyStoreError) -> Bool {
        let unused = queues.withLock { queues -> [Int] in
            if lane > 0 { for index in lane..<lanes.count { queues.isClosed[index] = true } }
            return lanes.indices.dropFirst().filter { queues.isClosed[$0] || queues.waiting[$0] == 0 }
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
        let wasOpen = queues.withLock { queues in
            defer { queues.isClosed[index] = true }
            return !queues.isClosed[index]
        }
        // Another call has closed it, and gives its session back.
        guard wasOpen else { return false }
        if try await lanes[index].giveBackSession() { return true }
        queues.withLock { $0.isClosed[index] = false }
        return false
    }

    private func enter(_ lane: Int) -> Int {
        queues.withLock { $0.waiting[lane] += 1 }
        return lane
    }

    private func enter() -> Int {
        queues.withLock { queues in
            var lane = 0
            for index in lanes.indices where !queues.isClosed[index] && queues.waiting[index] < queues.waiting[lane] {
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
