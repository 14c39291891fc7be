// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

extension OAuthClientError {
    /// What the system did not do with a file.
    init(_ error: FileError, of file: String) {
        self.init(.storageFailed, "cannot \(error.attempt) \(file): \(error.reason)", underlying: error)
    }
}
