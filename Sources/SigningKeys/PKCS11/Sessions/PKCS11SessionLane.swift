// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch

/// A session, and a thread at a time of its own for what may wait.
final class PKCS11SessionLane: Sendable {
    private let queue = DispatchQueue(label: "keybound.pkcs11")
    private let place: PKCS11SessionPlace

    init(_ token: PKCS11Token) {
        place = PKCS11SessionPlace(token)
    }

    deinit {
        // Closing may block, so it is done where such calls belong.
        if place.isOpen { queue.async { [place] in place.close() } }
    }

    /// Runs something with a session, once more with a new one if that was over.
    ///
    /// What may `stay` runs on the thread of the caller where the module has nothing to wait for: it takes longer to hand a
    /// signature of SoftHSM to another thread and back than to make it.
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
}
#endif
