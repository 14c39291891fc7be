// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// A token request, with what its grant allows the access token to be for.
struct GrantedRequest<Base: ClientStage>: ClientStage {
    /// The part of a grant that is requested.
    struct Granted: Sendable {
        let grant: Grant
        let target: AccessTokenTarget
        /// The requested details; `nil` for all of them.
        var details: [AuthorizationDetail]?
    }

    let base: Base
    /// `nil` if the grant is revoked; the endpoint then rejects with the error of the grant type.
    var granted: Granted?

    var clientRequest: ClientRequest { base.clientRequest }
}

extension GrantedRequest: ProvenStage where Base: ProvenStage {
    var proof: VerifiedProof? { base.proof }
}
