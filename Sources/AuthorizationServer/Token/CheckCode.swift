// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 6749 section 4.1.3: the code exists and was issued to this client.
///
/// The transaction that redeems the code checks whether it was used or has expired.
struct CheckCode: Check {
    let section = "RFC 6749 section 4.1.3"

    func run(
        _ request: ProvenRequest<AuthenticatedRequest<CodeReads>>,
        _ services: Services
    ) throws(ProtocolFailure) -> CodeRequest {
        _ = try request.requiredParameter("code")
        let reads = request.base.reads
        guard let code = reads.code, code.clientID.isIdentical(to: request.client.clientID) else {
            throw .codeRejected
        }
        return CodeRequest(token: request.tokenRequest(), code: code, grant: reads.grant)
    }
}

extension ProtocolFailure {
    /// One error for every invalid code: it does not reveal the reason.
    static let codeRejected = ProtocolFailure(
        .invalidGrant,
        "the authorization code is unknown, expired, used before, or of another client"
    )
}
