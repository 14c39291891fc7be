// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Security

/// When an item of the Keychain can be read; in each case by the device that it was made on alone.
///
/// What migrates to another device in a backup is not offered: keys of the Secure Enclave stay behind, and tokens that
/// are bound to them are of no use elsewhere.
public enum KeychainAccessibility: Sendable, Hashable, CaseIterable {
    /// From the first unlock after a start of the device on, also while it is locked: for apps that work in the background.
    case afterFirstUnlockThisDeviceOnly
    /// While the device is unlocked.
    case whenUnlockedThisDeviceOnly
    /// While the device is unlocked; only where there is a passcode, and gone when that is removed.
    case whenPasscodeSetThisDeviceOnly

    /// The value of `kSecAttrAccessible`.
    var attribute: CFString {
        switch self {
        case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        }
    }

    /// In words, for facts about a key.
    var words: String {
        switch self {
        case .afterFirstUnlockThisDeviceOnly: "after first unlock, this device only"
        case .whenUnlockedThisDeviceOnly: "when unlocked, this device only"
        case .whenPasscodeSetThisDeviceOnly: "when unlocked and a passcode is set, this device only"
        }
    }
}
#endif
