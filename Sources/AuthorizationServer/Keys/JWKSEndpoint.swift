// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE

/// The keys that tokens can be checked with (RFC 7517 section 5).
struct JWKSEndpoint: Sendable {
    let services: Services

    @Sendable func respond(to request: HTTPRequest) async -> HTTPResponse {
        // A cache must not keep the set for longer than the next key is published before it signs.
        .publicJSON(services.keySet.json, maximumAge: services.keys.now.maximumAge)
    }
}
