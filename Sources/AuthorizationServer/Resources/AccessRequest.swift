// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore

/// A request whose scope and APIs are checked: what access it asks for.
struct AccessRequest<Base: ClientStage>: ScopeStage {
    let base: Base
    let scope: Scope
    /// The APIs that the request names; none for the default one.
    let resources: [String]
    /// What is asked for in more words than a scope has; `nil` when nothing is said of it.
    var details: [AuthorizationDetail]?

    var clientRequest: ClientRequest { base.clientRequest }
}

extension AccessRequest: ProvenStage where Base: ProvenStage {
    var proof: VerifiedProof? { base.proof }
}
