// SPDX-License-Identifier: Apache-2.0

/// Where a ``KeyManager`` makes new keys; existing keys do not move.
public struct KeyPolicy: Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the policy.
    public let rawValue: String

    private init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Only in hardware: without hardware no key is made, and a stored software key is not used.
    public static let requireHardware = Self("requireHardware")
    /// In hardware if available, otherwise in software; the default.
    public static let preferHardware = Self("preferHardware")
    /// In software, even if there is hardware.
    public static let softwareOnly = Self("softwareOnly")

    /// The stable name of the policy.
    public var description: String { rawValue }
}
