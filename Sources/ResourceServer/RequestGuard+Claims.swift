// SPDX-License-Identifier: Apache-2.0

package import HTTPMessage
import OAuthCore

/// Claims that a program before the API cannot pass on.
extension RequestGuard {
    /// Rejects a request that ``check(_:for:)`` accepted, because a claim of its token is too long to pass on.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - authorized: What the guard made of it.
    ///   - expected: What the token had to have, for the log.
    ///   - requirement: What the route demands of the token.
    /// - Returns: 401 `invalid_token` with the same challenges as any other (RFC 6750 section 3.1).
    package func tooLongClaim(
        in request: HTTPRequest,
        _ authorized: AuthorizedRequest,
        expected: String,
        for requirement: GuardRequirement
    ) -> Rejection {
        let failure = writer(for: requirement).rejected(
            .invalidToken,
            "A claim of the access token is too long",
            isBearer: authorized.binding == .nothing,
            RejectionReason("claims", "RFC 6750 section 3.1", expected: expected)
        )
        return rejection(failure, of: request)
    }
}
