// SPDX-License-Identifier: Apache-2.0

/// The state of a key at one moment.
public struct SigningKeyState: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the state.
    public let rawValue: String

    /// Names a state.
    ///
    /// - Parameter rawValue: The stable name of the state.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Published, so that all verifiers know it before it signs; does not sign yet.
    public static let next = Self(rawValue: "next")
    /// Signs.
    public static let active = Self(rawValue: "active")
    /// Published until the last token that it signed has expired; no longer signs.
    public static let retired = Self(rawValue: "retired")
    /// No longer published: verifiers reject its signatures.
    public static let revoked = Self(rawValue: "revoked")

    /// The stable name of the state.
    public var description: String { rawValue }
}
