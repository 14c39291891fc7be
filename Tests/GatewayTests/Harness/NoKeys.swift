// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore

/// An issuer that does not answer.
struct NoKeys: JWKSetSource {
    func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet {
        throw OAuthCoreError(.keysUnavailable, "no keys")
    }
}
