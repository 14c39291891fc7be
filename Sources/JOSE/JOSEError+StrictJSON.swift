// SPDX-License-Identifier: Apache-2.0

import StrictJSON

extension JOSEError {
    /// A token with a segment that cannot be read.
    init(malformedToken error: StrictJSONError) {
        self.init(.malformedToken, error.reason, underlying: error)
    }
}
