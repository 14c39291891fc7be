// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
/// What a user must do before a key of the Secure Enclave signs.
///
/// Every request to an API carries a signature. Use a key with approval for actions that the user confirms, not for
/// background work.
public struct KeyUsePolicy: Sendable, Hashable {
    /// The approval with which the key was made; the raw value is stored with it.
    enum Kind: UInt8, Sendable {
        case none = 0
        case userPresence = 1
        case currentBiometry = 2
    }

    let kind: Kind
    let reason: String
    let duration: Duration

    private init(_ kind: Kind, reason: String, duration: Duration) {
        self.kind = kind
        self.reason = reason
        self.duration = duration
    }

    /// None: the key signs without asking the user.
    public static let none = KeyUsePolicy(.none, reason: "", duration: .zero)

    /// Face, fingerprint or passcode.
    ///
    /// - Parameters:
    ///   - reason: The text that the user reads, localized: what the signature is for.
    ///   - duration: How long one approval covers further signatures of the same key object; zero asks each time.
    /// - Returns: The approval.
    public static func userPresence(reason: String, lasting duration: Duration = .zero) -> KeyUsePolicy {
        KeyUsePolicy(.userPresence, reason: reason, duration: duration)
    }

    /// A face or fingerprint that was enrolled when the key was made; a change of the enrolment invalidates the key.
    ///
    /// - Parameters:
    ///   - reason: The text that the user reads, localized: what the signature is for.
    ///   - duration: How long one approval covers further signatures of the same key object; zero asks each time.
    /// - Returns: The approval.
    public static func currentBiometry(reason: String, lasting duration: Duration = .zero) -> KeyUsePolicy {
        KeyUsePolicy(.currentBiometry, reason: reason, duration: duration)
    }
}
#endif
