// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch

/// A session with a serial queue for calls that may block.
final class PKCS11SessionThread: Sendable {
    private let queue = DispatchQueue(label: "keybound.pkcs11")
    private let place: PKCS11SessionSlot

    init(_ token: PKCS11Token) {
        place = PKCS11SessionSlot(token)
    }

    deinit {
        // Closing may block, so it runs on the queue.
        if place.isOpen { queue.async { [place] in place.close() } }
    }

    /// Runs a function with a session, and again with a new one if the session had ended.
    ///
    /// A function that may `stay` runs on the caller's thread if the module never blocks: switching threads takes
    /// longer than a signature of SoftHSM.
    func run<Value: Sendable>(
        mayStay: Bool,
        _ body: @escaping @Sendable (PKCS11Session) throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        var attempts = 2
        if mayStay {
            switch try place.runIfQuick(body) {
            case .done(let value): return value
            case .mayWait: break
            case .sessionLost: attempts -= 1
            }
        }
        let left = attempts
        return try await queue.run { [place] () throws(KeyStoreError) in try place.run(attempts: left, body) }
    }

    /// Gives the session back to the token, after the calls that wait for it; the next call opens another one.
    ///
    /// - Returns: Whether there was one.
    func giveBackSession() async throws(KeyStoreError) -> Bool {
        try await queue.run { [place] () throws(KeyStoreError) in place.close() }
    }
}
#endif
