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
    func run<Value: Sendable>(
        mayStay: Bool = false,
        _ body: @escaping @Sendable (PKCS11Session) throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        let lane = enter()
        do {
            let value = try await lanes[lane].run(mayStay: mayStay, body)
            leave(lane)
            return value
        } catch {
            leave(lane)
            guard lane > 0, error.status?.value == CKR_SESSION_COUNT else { throw error }
        }
        // The token has fewer sessions than the store may use.
        waiting.withLock { waiting in if waiting.count > lane { waiting.removeSubrange(lane...) } }
        return try await lanes[0].run(mayStay: mayStay, body)
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
