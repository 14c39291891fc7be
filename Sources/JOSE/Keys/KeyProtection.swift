// SPDX-License-Identifier: Apache-2.0

/// How hard it is to copy a private key from where it lives.
public struct KeyProtection: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the level.
    public let rawValue: String

    /// Names a level.
    ///
    /// - Parameter rawValue: The stable name of the level.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The key exists in the memory of this process only.
    public static let memory = Self(rawValue: "memory")
    /// The key lies in a file that only its owner may read, unencrypted.
    public static let unencryptedFile = Self(rawValue: "unencrypted-file")
    /// The key lies in an encrypted file.
    public static let encryptedFile = Self(rawValue: "encrypted-file")
    /// The operating system guards the key, but could give it out.
    public static let osProtected = Self(rawValue: "os-protected")
    /// The key cannot leave a piece of hardware.
    public static let hardwareBound = Self(rawValue: "hardware-bound")

    /// The stable name of the level.
    public var description: String { rawValue }
}
