// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

/// RFC 9449 section 4.3, check 4: `typ` is `dpop+jwt`, so that no other kind of JWT is accepted as a proof (section
/// 11.5).
enum CheckType {
    static func run(_ header: JSONObject) throws(DPoPError) {
        guard header.isString("typ", "dpop+jwt") || isOtherSpelling(header.string("typ")) else {
            throw DPoPError(.invalidProof, "'typ' is not dpop+jwt", step: .type)
        }
    }

    private static func isOtherSpelling(_ type: String?) -> Bool {
        type.map { MediaType.isSame($0, "dpop+jwt") } ?? false
    }
}
