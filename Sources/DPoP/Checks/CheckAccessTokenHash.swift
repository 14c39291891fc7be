// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto

/// RFC 9449 section 4.3, check 12, first part: with an access token, `ath` is its hash.
///
/// At endpoints without an access token, `ath` means nothing and is ignored.
enum CheckAccessTokenHash {
    static func run(_ accessTokenHash: String?, accessToken: String?) throws(DPoPError) {
        guard let accessToken else { return }
        guard let accessTokenHash else {
            throw DPoPError(.invalidProof, "'ath' is missing", step: .accessTokenHash)
        }
        guard ConstantTime.areEqual(Array(accessTokenHash.utf8), AccessTokenHash.bytes(for: accessToken)) else {
            throw DPoPError(.invalidProof, "'ath' is not the hash of the access token", step: .accessTokenHash)
        }
    }
}
