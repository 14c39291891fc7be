// SPDX-License-Identifier: Apache-2.0

import StrictJSON

extension JOSEError {
    init(malformedToken error: StrictJSONError) {
        self.init(.malformedToken, error.reason, underlying: error)
    }
}
