// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 6749 section 4.1.3: the code was given out, and to this client.
///
/// Whether it is spent or expired is decided when it is redeemed, in the transaction that spends it.
struct CheckCode: Check {
    let section = "RFC 6749 section 4.1.3"

    func run(_ request: Found<TokenRequest, StoredCode>, _ services: Services) throws(ProtocolFailure) -> CodeRequest {
        _ = try request.base.requiredParameter("code")
        guard let code = request.value, code.clientID.isIdentical(to: request.base.client.clientID) else {
            throw .codeRejected
        }
        return CodeRequest(token: request.base, code: code)
    }
}

extension ProtocolFailure {
    /// One answer for every code that does not work: which reason it was is nobody's business.
    static let codeRejected = ProtocolFailure(
        .invalidGrant,
        "the authorization code is unknown, expired, used before, or of another client"
    )
}
