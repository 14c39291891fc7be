// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

extension KeyStoreError {
    /// Describes a failed file operation.
    init(_ error: FileError) {
        self.init(.storageFailed, error.reason, underlying: error)
    }

    /// Runs a file operation, and describes its error.
    static func wrapping<Result>(_ operation: () throws(FileError) -> Result) throws(KeyStoreError) -> Result {
        do throws(FileError) {
            return try operation()
        } catch {
            throw KeyStoreError(error)
        }
    }
}
