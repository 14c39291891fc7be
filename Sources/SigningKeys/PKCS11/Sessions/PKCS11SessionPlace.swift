// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Where a session is, for one call at a time: opened when it is needed, and again when it was over.
final class PKCS11SessionPlace: Sendable {
    private struct State {
        var session: PKCS11Session?
        /// In which life of the token the session was opened.
        var life = 0
        /// Whether the module computes as a program does, with nothing that it waits for but files of this machine.
        var isProgram = false
        /// A call has taken long: until then the next ones do not run on threads that others need.
        var slowUntil: ContinuousClock.Instant?
    }

    /// What became of a call that may run only where it does not wait.
    enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// It was not begun.
        case mayWait
        /// It was begun, and the session was over.
        case sessionLost
    }

    /// No key of a program takes as long for a signature.
    private static let longTime = Duration.milliseconds(20)
    /// How long a slow module is not trusted to be quick.
    private static let caution = Duration.seconds(60)

    private let token: PKCS11Token
    private let state = Mutex(State())

    init(_ token: PKCS11Token) {
        self.token = token
    }

    /// Whether there is something to close.
    var isOpen: Bool { state.withLock { $0.session != nil } }

    func close() {
        state.withLock { $0.session = nil }
    }

    /// Runs something with a session, begun so many times at most while the session turns out to be over; blocks.
    func run<Value: Sendable>(
        attempts: Int,
        _ body: @Sendable (PKCS11Session) throws(KeyStoreError) -> Value
    ) throws(KeyStoreError) -> Value {
        guard PKCS11ProcessEnd.enter() else { throw KeyStoreError(.deviceUnavailable, "the process ends") }
        defer { PKCS11ProcessEnd.leave() }
        return try state.withLock { state throws(KeyStoreError) in
            var left = attempts
            while true {
                left -= 1
                do throws(KeyStoreError) {
                    return try perform(body, in: session(&state), &state)
                } catch {
                    guard loses(error, &state), left > 0 else { throw error }
                }
            }
        }
    }

    /// Runs something with the session that is there, when nobody else uses it and the module is a program that was quick.
    func runIfQuick<Value: Sendable>(
        _ body: @Sendable (PKCS11Session) throws(KeyStoreError) -> Value
    ) throws(KeyStoreError) -> Outcome<Value> {
        guard PKCS11ProcessEnd.enter() else { return .mayWait }
        defer { PKCS11ProcessEnd.leave() }
        let outcome = try state.withLockIfAvailable { state throws(KeyStoreError) -> Outcome<Value> in
            let start = ContinuousClock.now
            guard state.isProgram, let session = state.session, state.life == token.life else { return .mayWait }
            if let slowUntil = state.slowUntil, start < slowUntil { return .mayWait }
            defer {
                let end = ContinuousClock.now
                state.slowUntil = end - start > Self.longTime ? end + Self.caution : nil
            }
            do throws(KeyStoreError) {
                return .done(try perform(body, in: session, &state))
            } catch {
                guard loses(error, &state) else { throw error }
                return .sessionLost
            }
        }
        return outcome ?? .mayWait
    }

    private func perform<Value>(
        _ body: @Sendable (PKCS11Session) throws(KeyStoreError) -> Value,
        in session: PKCS11Session,
        _ state: inout State
    ) throws(KeyStoreError) -> Value {
        defer { if session.isUnfinished { state.session = nil } }
        return try body(session)
    }

    /// Whether an error says that the session is over or logged out; it is given up then.
    private func loses(_ error: KeyStoreError, _ state: inout State) -> Bool {
        if error.status?.isLoggedOut == true {
            // Closed with its last owner, unlike one that is over; those of other threads are logged in again with the next one.
            state.session = nil
            return true
        }
        guard error.status?.isLostSession == true else { return false }
        token.endLife(state.life)
        drop(&state)
        return true
    }

    private func session(_ state: inout State) throws(KeyStoreError) -> PKCS11Session {
        if let session = state.session, state.life == token.life { return session }
        drop(&state)
        state.life = token.life
        let session = try token.openSession()
        state.isProgram = session.module.isSoftHSM
        state.session = session
        return session
    }

    private func drop(_ state: inout State) {
        state.session?.isLost = true
        state.session = nil
    }
}
#endif
