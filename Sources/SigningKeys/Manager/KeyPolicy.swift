// SPDX-License-Identifier: Apache-2.0

/// Where a ``KeyManager`` makes new keys; keys that were made earlier stay where they are.
public struct KeyPolicy: Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the policy.
    public let rawValue: String

    private init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Only in hardware: where none can be had no key is made, and a stored key that is not in hardware is not used.
    public static let requireHardware = Self("requireHardware")
    /// In hardware where there is some, and else in software: the default.
    public static let preferHardware = Self("preferHardware")
    /// In software, whatever hardware there is.
    public static let softwareOnly = Self("softwareOnly")

    /// The stable name of the policy.
    public var description: String { rawValue }
}
