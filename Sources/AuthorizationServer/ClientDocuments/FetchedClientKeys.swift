// SPDX-License-Identifier: Apache-2.0

import JOSE

/// The keys that were fetched for a request, and the `jwks_uri` that they are from.
struct FetchedClientKeys: Sendable {
    let uri: String
    let keys: JWKSet
}
