// SPDX-License-Identifier: Apache-2.0

import OAuthClient

extension FakeServer {
    /// The callback URL after the user has consented to a request.
    func approve(_ request: AuthorizationRequest, issuer: String? = FakeServer.issuer) throws -> String {
        try approve(url: request.url, issuer: issuer)
    }
}
