// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// A token request, and what its grant lets the access token be for.
struct GrantedRequest<Base: ClientStage>: ClientStage {
    /// What is asked for of a grant.
    struct Granted: Sendable {
        let grant: Grant
        let target: AccessTokenTarget
        /// What of the details is asked for; `nil` for all of them.
        var details: [AuthorizationDetail]?
    }

    let base: Base
    /// `nil` when the grant is revoked, which the endpoint rejects in the words of its kind.
    var granted: Granted?

    var clientRequest: ClientRequest { base.clientRequest }
}

extension GrantedRequest: ProvenStage where Base: ProvenStage {
    var proof: VerifiedProof? { base.proof }
}
