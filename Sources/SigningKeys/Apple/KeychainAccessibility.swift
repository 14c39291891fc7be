// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Security

/// When a Keychain item can be read; always only on the device that made it.
///
/// Items that a backup moves to another device are not supported: keys of the Secure Enclave cannot move, and tokens
/// that are bound to them are useless elsewhere.
public enum KeychainAccessibility: Sendable, Hashable, CaseIterable {
    /// After the first unlock since the device started, even while it is locked: for apps that work in the background.
    case afterFirstUnlockThisDeviceOnly
    /// While the device is unlocked.
    case whenUnlockedThisDeviceOnly
    /// While the device is unlocked; requires a passcode, and removing the passcode deletes the item.
    case whenPasscodeSetThisDeviceOnly

    /// The value of `kSecAttrAccessible`.
    var attribute: CFString {
        switch self {
        case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        }
    }

    /// A description for key facts.
    var words: String {
        switch self {
        case .afterFirstUnlockThisDeviceOnly: "after first unlock, this device only"
        case .whenUnlockedThisDeviceOnly: "when unlocked, this device only"
        case .whenPasscodeSetThisDeviceOnly: "when unlocked and a passcode is set, this device only"
        }
    }
}
#endif
