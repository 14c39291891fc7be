// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE

/// The JWKS endpoint: the public keys that verify tokens (RFC 7517 section 5).
struct JWKSEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to request: HTTPRequest) async -> HTTPResponse {
        // Caches must expire before the next key, once published, starts to sign.
        .publicJSON(services.keySet.json, maximumAge: services.keys.now.maximumAge)
    }
}
