// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

extension OAuthClientError {
    /// Describes a failed file operation.
    init(_ error: FileError, of file: String) {
        self.init(.storageFailed, "cannot \(error.attempt) \(file): \(error.reason)", underlying: error)
    }
}
