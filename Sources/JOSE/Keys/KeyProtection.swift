// SPDX-License-Identifier: Apache-2.0

/// How well a private key is protected against copying.
public struct KeyProtection: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the level.
    public let rawValue: String

    /// Names a level.
    ///
    /// - Parameter rawValue: The stable name of the level.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The key exists only in the memory of this process.
    public static let memory = Self(rawValue: "memory")
    /// The key is stored unencrypted, in a file that only its owner can read.
    public static let unencryptedFile = Self(rawValue: "unencrypted-file")
    /// The key is stored in an encrypted file.
    public static let encryptedFile = Self(rawValue: "encrypted-file")
    /// The operating system protects the key, but could export it.
    public static let osProtected = Self(rawValue: "os-protected")
    /// The key cannot leave its hardware.
    public static let hardwareBound = Self(rawValue: "hardware-bound")

    /// The stable name of the level.
    public var description: String { rawValue }
}
