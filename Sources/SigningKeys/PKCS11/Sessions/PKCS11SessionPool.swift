// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import Synchronization

/// The sessions of a store: opened when they are needed, and no more than allowed.
///
/// Each has a queue of its own, since calls of a module block. A call goes where fewest wait, so one that comes alone always
/// finds the first session.
final class PKCS11SessionPool: Sendable {
    let token: PKCS11Token
    private let lanes: [PKCS11SessionLane]
    /// How many calls each lane has to do; as many lanes as are used.
    private let waiting: Mutex<[Int]>

    init(_ token: PKCS11Token, maximumCount: Int) {
        self.token = token
        lanes = (0..<max(1, maximumCount)).map { _ in PKCS11SessionLane(token) }
        waiting = Mutex([Int](repeating: 0, count: lanes.count))
    }

    /// Runs something with a session; what may `stay` on the thread of the caller, as ``PKCS11SessionLane/run(mayStay:_:)`` says.
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
