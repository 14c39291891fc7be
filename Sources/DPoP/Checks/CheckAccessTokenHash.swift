// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem

/// RFC 9449 section 4.3, check 12, first part: if there is an access token, `ath` is its hash.
///
/// Endpoints that take no access token ignore `ath`.
enum CheckAccessTokenHash {
    static func run(_ claims: ProofClaims, accessToken: String?) throws(DPoPError) {
        guard let accessToken else { return }
        // Strict base64url has one encoding for each value, so comparing digests is the same as comparing texts.
        guard let given = claims.accessTokenDigest,
            ConstantTime.areEqual(given, AccessTokenHash.digest(of: accessToken))
        else {
            guard claims.accessTokenHash != nil else {
                throw DPoPError(.invalidProof, "'ath' is missing", step: .accessTokenHash)
            }
            throw DPoPError(.invalidProof, "'ath' is not the hash of the access token", step: .accessTokenHash)
        }
    }
}
