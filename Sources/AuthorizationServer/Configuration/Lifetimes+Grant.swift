// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

extension Lifetimes {
    /// When a grant ends, whatever its tokens are used for; `nil` if grants have no end.
    ///
    /// The grant of a token exchange has no refresh token, and ends with the subject token before this time.
    func end(of grant: Grant) -> Timestamp? {
        self.grant.map { grant.createdAt + $0 }
    }

    /// When a refresh token expires that is issued or used now: never after its grant.
    func endOfRefreshToken(under grant: Grant, at now: Timestamp) -> Timestamp {
        let unused = now + refreshToken
        return min(unused, end(of: grant) ?? unused)
    }
}
