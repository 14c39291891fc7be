// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// A slot for a session, for one call at a time; opens the session on demand, and again if it has ended.
final class PKCS11SessionSlot: Sendable {
    private struct State {
        var session: PKCS11Session?
        /// The insertion of the token in which the session was opened.
        var life = 0
        /// Whether the module is software that waits for nothing except files of this machine.
        var isProgram = false
        /// A call was slow: until this time, calls do not run on shared threads.
        var slowUntil: ContinuousClock.Instant?
    }

    /// The outcome of a call that may run only without waiting.
    enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// The call was not started, because it may block.
        case mayWait
        /// The call was started, but the session had ended.
        case sessionLost
    }

    /// No software token takes this long for a signature.
    private static let longTime = Duration.milliseconds(20)
    /// How long after a slow call a module counts as slow.
    private static let caution = Duration.seconds(60)

    private let token: PKCS11Token
    private let state = Mutex(State())

    init(_ token: PKCS11Token) {
        self.token = token
    }

    var isOpen: Bool { state.withLock { $0.session != nil } }

    /// Closes the session after the call that uses it; blocks.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    func close() -> Bool {
        state.withLock { state in
            let wasOpen = state.session != nil
            // It ended with the others, and its number may belong to another one now.
            if state.life != token.life { state.session?.isLost = true }
            state.session = nil
            return wasOpen
        }
    }

    /// Runs a function with a session; blocks.
    ///
    /// If the session has ended, it opens a new one and retries, up to the given number of attempts.
    func run<Value: Sendable>(
        attempts: Int,
        _ body: @Sendable (PKCS11Session) throws(KeyStoreError) -> Value
    ) throws(KeyStoreError) -> Value {
        guard PKCS11ProcessEnd.enter() else {
            throw KeyStoreError(.deviceUnavailable, "the process ends", forbidsFallback: true)
        }
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

    /// Runs a function with the open session, if no other call uses it and the module is software that was fast.
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

    /// Whether an error means that the session has ended or is logged out; if so, the session is discarded.
    private func loses(_ error: KeyStoreError, _ state: inout State) -> Bool {
        if error.status?.isLoggedOut == true {
            // A logged-out session is closed with its last reference; one that has ended is not. The next session logs
            // in the sessions of other threads too.
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
