// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch

/// A thread at a time of its own, and the session that only it uses.
///
/// Sendable although its session changes: that is touched only by what runs on the queue, one after the other.
final class PKCS11SessionLane: @unchecked Sendable {
    private let queue = DispatchQueue(label: "keybound.pkcs11")
    private let token: PKCS11Token
    private var session: PKCS11Session?
    /// In which life of the token the session was opened.
    private var life = 0

    init(_ token: PKCS11Token) {
        self.token = token
    }

    deinit {
        guard let session else { return }
        // Nobody else has it any more; closing may block, so it is done where such calls belong.
        nonisolated(unsafe) let last = session
        queue.async { unsafe last.close() }
    }

    /// Runs something with a session, once more with a new one if that was over.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (PKCS11Session) throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        try await queue.run { () throws(KeyStoreError) in try self.runNow(body) }
    }

    private func runNow<Value>(_ body: (PKCS11Session) throws(KeyStoreError) -> Value) throws(KeyStoreError) -> Value {
        guard PKCS11ProcessEnd.enter() else { throw KeyStoreError(.deviceUnavailable, "the process ends") }
        defer { PKCS11ProcessEnd.leave() }
        defer { if session?.isUnfinished == true { session = nil } }
        do {
            return try body(currentSession())
        } catch {
            guard loses(error) else { throw error }
        }
        do {
            return try body(currentSession())
        } catch {
            _ = loses(error)
            throw error
        }
    }

    /// Whether an error says that the session is over or logged out; it is given up then.
    private func loses(_ error: KeyStoreError) -> Bool {
        if error.status?.isLoggedOut == true {
            // Closed with its last owner, unlike one that is over; those of other threads are logged in again with the next one.
            session = nil
            return true
        }
        guard error.status?.isLostSession == true else { return false }
        token.endLife(life)
        dropSession()
        return true
    }

    private func currentSession() throws(KeyStoreError) -> PKCS11Session {
        if let session, life == token.life { return session }
        dropSession()
        life = token.life
        let session = try token.openSession()
        self.session = session
        return session
    }

    private func dropSession() {
        session?.isLost = true
        session = nil
    }
}
#endif
