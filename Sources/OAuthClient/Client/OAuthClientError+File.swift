// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

extension OAuthClientError {
    /// Describes a failed file operation.
    init(_ error: FileError) {
        self.init(.storageFailed, error.reason, underlying: error)
    }
}
