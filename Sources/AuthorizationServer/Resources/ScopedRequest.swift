// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// A request with verified scope.
struct ScopedRequest<Base: ClientStage>: ScopeStage {
    let base: Base
    let scope: Scope

    var clientRequest: ClientRequest { base.clientRequest }
}

extension ScopedRequest: ProvenStage where Base: ProvenStage {
    var proof: VerifiedProof? { base.proof }
}

extension ScopedRequest: GrantStage where Base: GrantStage {
    var grant: Grant? { base.grant }
}
