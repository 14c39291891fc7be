// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPKCS11
import OAuthCrypto
import OAuthSystem
import Synchronization

/// Logs a process in to a token, and never tries the same wrong PIN twice.
///
/// A token whose PIN is locked does not say whether a PIN is right. Such a PIN is tried again after a pause, by which an
/// administrator may have unlocked the token.
final class PKCS11Login: Sendable {
    private struct HeldPIN: Sendable {
        let pin: SecretBytes
        let end: ContinuousClock.Instant
    }

    private let pin: PKCS11PIN
    private let mayUseLastAttempt: Bool
    private let pauseWhenLocked: Duration
    /// The PINs that the token rejected.
    private let refused = Mutex<[SecretBytes]>([])
    /// The PINs that were tried while the token was locked.
    private let held = Mutex<[HeldPIN]>([])

    init(_ pin: PKCS11PIN, mayUseLastAttempt: Bool, pauseWhenLocked: Duration = .seconds(300)) {
        (self.pin, self.mayUseLastAttempt, self.pauseWhenLocked) = (pin, mayUseLastAttempt, pauseWhenLocked)
    }

    /// Logs in if the token requires it and this process has not done so.
    func logIn(_ session: PKCS11Session) throws(KeyStoreError) {
        try session.module.loginLock.withLock { _ throws(KeyStoreError) in
            guard try session.module.info(ofTokenIn: session.slot).flags & CKF_LOGIN_REQUIRED != 0,
                try !session.isLoggedIn()
            else { return }
            try attempt(session, CKU_USER)
        }
    }

    /// Sends the PIN again, for a key that requires it for each signature.
    func confirm(_ session: PKCS11Session) throws(KeyStoreError) {
        try session.module.loginLock.withLock { _ throws(KeyStoreError) in
            try attempt(session, CKU_CONTEXT_SPECIFIC)
        }
    }

    private func attempt(_ session: PKCS11Session, _ user: CK_USER_TYPE) throws(KeyStoreError) {
        let flags = try session.module.info(ofTokenIn: session.slot).flags
        guard flags & CKF_USER_PIN_LOCKED == 0 else {
            throw PKCS11Status(function: "C_GetTokenInfo", value: CKR_PIN_LOCKED).error
        }
        guard flags & CKF_USER_PIN_FINAL_TRY == 0 || mayUseLastAttempt else {
            throw KeyStoreError(
                .wrongPIN,
                """
                one more wrong PIN would lock the token, so none was tried: log in with a tool of the token, which resets \
                the count, or allow the last attempt
                """
            )
        }
        try pin.withBytes { pin throws(KeyStoreError) in try attempt(session, user, pin) }
    }

    private func attempt(
        _ session: PKCS11Session,
        _ user: CK_USER_TYPE,
        _ pin: [UInt8]?
    ) throws(KeyStoreError) {
        if let pin, wasRejected(pin) {
            throw KeyStoreError(.wrongPIN, "the token has refused this PIN before: it is not tried again")
        }
        if let pin, isHeld(pin) {
            throw KeyStoreError(
                .pinLocked,
                "the token's PIN was locked a moment ago: unlock it with a tool of the token, and try again in some minutes"
            )
        }
        let status = session.module.whenWritten { session.logIn(user, pin) }
        switch status {
        case CKR_OK, CKR_USER_ALREADY_LOGGED_IN: return
        case CKR_PIN_LOCKED: if let pin { hold(pin) }
        case CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE:
            if let pin { refused.withLock { $0.append(SecretBytes(copying: pin)) } }
        default: break
        }
        throw PKCS11Status(function: "C_Login", value: status).error
    }

    private func hold(_ pin: [UInt8]) {
        let entry = HeldPIN(pin: SecretBytes(copying: pin), end: ContinuousClock.now.advanced(by: pauseWhenLocked))
        held.withLock { $0.append(entry) }
    }

    private func isHeld(_ pin: [UInt8]) -> Bool {
        held.withLock { held in
            let now = ContinuousClock.now
            held.removeAll { $0.end <= now }
            return held.contains { $0.pin.withArray { ConstantTime.areEqual($0, pin) } }
        }
    }

    private func wasRejected(_ pin: [UInt8]) -> Bool {
        refused.withLock { refused in
            refused.contains { $0.withArray { ConstantTime.areEqual($0, pin) } }
        }
    }
}
#endif
