// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
/// What a person must do before a key of the Secure Enclave signs.
///
/// Every request to an API carries a signature: a key that asks is for actions that somebody stands behind, not for work
/// in the background.
public struct KeyApproval: Sendable, Hashable {
    /// What the key was made with; the number is stored with it.
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

    /// Nothing: the key signs whenever the app asks.
    public static let none = KeyApproval(.none, reason: "", duration: .zero)

    /// Face, finger or passcode.
    ///
    /// - Parameters:
    ///   - reason: What the person reads, in their language: what the signature is for.
    ///   - duration: How long one answer counts for further signatures of the same key object; zero asks each time.
    /// - Returns: The demand.
    public static func userPresence(reason: String, lasting duration: Duration = .zero) -> KeyApproval {
        KeyApproval(.userPresence, reason: reason, duration: duration)
    }

    /// A face or finger that was enrolled when the key was made; the key is lost when the enrolment changes.
    ///
    /// - Parameters:
    ///   - reason: What the person reads, in their language: what the signature is for.
    ///   - duration: How long one answer counts for further signatures of the same key object; zero asks each time.
    /// - Returns: The demand.
    public static func currentBiometry(reason: String, lasting duration: Duration = .zero) -> KeyApproval {
        KeyApproval(.currentBiometry, reason: reason, duration: duration)
    }
}
#endif
