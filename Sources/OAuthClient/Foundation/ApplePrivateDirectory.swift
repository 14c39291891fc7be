// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(visionOS)
import Foundation

/// What a directory with tokens needs on a device: its container is in backups, and its files are readable while locked.
enum ApplePrivateDirectory {
    /// Keeps a directory out of backups, and its new files encrypted until the user unlocks the device for the first time.
    ///
    /// A refresh in the background must read them while the device is locked, so that no stricter class is possible. What
    /// the system refuses prevents no sign-in: the tokens are of no use without the key, which never leaves the device.
    static func protect(_ path: String) {
        var url = URL(filePath: path)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? url.setResourceValues(values)
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
            ofItemAtPath: path
        )
    }
}
#endif
