// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 6749 section 4.1.3: the code exists and was issued to this client.
///
/// The transaction that redeems the code checks whether it was used or has expired.
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
    /// One error for every invalid code: it does not reveal the reason.
    static let codeRejected = ProtocolFailure(
        .invalidGrant,
        "the authorization code is unknown, expired, used before, or of another client"
    )
}
