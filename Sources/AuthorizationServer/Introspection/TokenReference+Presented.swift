// SPDX-License-Identifier: Apache-2.0

import JOSE
import ServerStorage
import StrictJSON

extension TokenReference {
    /// Finds out where a token is stored; nothing of it is verified.
    ///
    /// - Parameter text: The token as presented.
    init(presented text: String) {
        if let secret = GrantSecret(text, as: .accessToken) {
            self = .accessToken(secret)
        } else if let secret = GrantSecret(text, as: .refreshToken) {
            self = .refreshToken(secret)
        } else if let payload = try? CompactJWS(parsing: text).payloadObject(),
            let grantID = payload[TokenIssuer.grantClaim]?.stringValue
        {
            self = .grant(grantID)
        } else {
            self = .none
        }
    }
}
