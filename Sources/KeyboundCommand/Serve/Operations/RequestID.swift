// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem
import StrictJSON

/// The identifier of a request in logs, audit events and the response.
enum RequestID {
    static let field = "X-Request-Id"

    /// The identifier from a trusted proxy, if it is at most 64 letters, digits and `-._~`; otherwise 16 random bytes.
    static func of(_ request: HTTPRequest, _ proxies: TrustedProxies, _ entropy: any Entropy) -> String {
        let given = request.fields.values(for: field)
        guard given.count == 1, (1...64).contains(given[0].utf8.count), given[0].utf8.allSatisfy(ASCII.isUnreserved),
            proxies.sent(request)
        else { return Base64URL.encode(entropy.bytes(16)) }
        return given[0]
    }
}
