// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import Synchronization

/// The sessions of a store, opened on demand up to a limit.
///
/// Each has its own queue, because module calls block. A call goes to the shortest queue, so a single call always gets
/// the first session.
final class PKCS11SessionPool: Sendable {
    let token: PKCS11Token
    private let lanes: [PKCS11SessionThread]
    /// The number of calls per queue; one element for each used queue.
    private let waiting: Mutex<[Int]>

    init(_ token: PKCS11Token, maximumCount: Int) {
        self.token = token
        lanes = (0..<max(1, maximumCount)).map { _ in PKCS11SessionThread(token) }
        waiting = Mutex([Int](repeating: 0, count: lanes.count))
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
    /// Queues that never got a session are closed for good: the token has fewer sessions than the store may use. The
    /// first queue has one and needs another one that can write, for a moment: sessions that nobody uses are enough for
    /// that, and if all are in use, one queue is closed.
    ///
    /// - Returns: Whether it may help to try again.
    private func giveBackSessions(after lane: Int) async throws(KeyStoreError) -> Bool {
        let unused = waiting.withLock { waiting -> [Int] in
            if lane > 0, waiting.count > lane { waiting.removeSubrange(lane...) }
            return lanes.indices.dropFirst().filter { !waiting.indices.contains($0) || waiting[$0] == 0 }
        }
        var hasGivenBack = lane > 0
        for index in unused where try await lanes[index].giveBackSession() { hasGivenBack = true }
        if hasGivenBack { return true }
        let last = waiting.withLock { waiting -> Int? in
            guard waiting.count > 1 else { return nil }
            waiting.removeLast()
            return waiting.count
        }
        guard let last else { return false }
        _ = try await lanes[last].giveBackSession()
        return true
    }

    private func enter(_ lane: Int) -> Int {
        waiting.withLock { $0[lane] += 1 }
        return lane
    }

    private func enter() -> Int {
        waiting.withLock { waiting in
            let lane = waiting.indices.min { waiting[$0] < waiting[$1] } ?? 0
            waiting[lane] += 1
            return lane
        }
    }

    private func leave(_ lane: Int) {
        waiting.withLock { waiting in if waiting.indices.contains(lane) { waiting[lane] -= 1 } }
    }
}
#endif
