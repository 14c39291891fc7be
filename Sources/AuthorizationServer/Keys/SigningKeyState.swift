// SPDX-License-Identifier: Apache-2.0

/// What a key is used for at a moment.
public struct SigningKeyState: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the state.
    public let rawValue: String

    /// Names a state.
    ///
    /// - Parameter rawValue: The stable name of the state.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Published, so that everyone knows it when it signs; signs nothing yet.
    public static let next = Self(rawValue: "next")
    /// Signs.
    public static let active = Self(rawValue: "active")
    /// Published until the last token that it signed has expired; signs nothing any more.
    public static let retired = Self(rawValue: "retired")
    /// No longer published: what it signed is refused.
    public static let revoked = Self(rawValue: "revoked")

    /// The stable name of the state.
    public var description: String { rawValue }
}
