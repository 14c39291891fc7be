// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// `auth_session`: continues a sign-in, or names a finished one (OAuth 2.0 for First-Party Applications section 5.3.1).
///
/// It is of no use without the key of the sign-in (section 9.6.1), and is never printed.
struct AuthSession: Sendable, Hashable, RedactedSecret {
    /// The longest value that is accepted, in bytes.
    static let maximumLength = 4096

    /// The value as it came.
    let value: String
    /// When the server forgets it; `nil` when it does not say.
    let expiresAt: Timestamp?

    /// Checks a value: visible ASCII, at most ``maximumLength`` bytes.
    init?(_ value: String, expiresAt: Timestamp?) {
        guard (1...Self.maximumLength).contains(value.utf8.count), value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.value = value
        self.expiresAt = expiresAt
    }

    static func == (left: AuthSession, right: AuthSession) -> Bool {
        left.value.isIdenticalInConstantTime(to: right.value) && left.expiresAt == right.expiresAt
    }
}
