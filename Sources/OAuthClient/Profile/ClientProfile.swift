// SPDX-License-Identifier: Apache-2.0

/// A named set of rules that a client follows and requires of the server.
///
/// ``OAuth2ClientConfiguration/native`` and ``OAuth2ClientConfiguration/fapi2`` set one.
public struct ClientProfile: Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the profile.
    public let rawValue: String

    private init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apps and command-line tools on users' devices (RFC 8252, RFC 9700).
    public static let native = Self("native")
    /// Services with high-value APIs: FAPI 2.0 Security Profile, Final.
    public static let fapi2 = Self("fapi2")

    /// The stable name of the profile.
    public var description: String { rawValue }
}
