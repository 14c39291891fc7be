// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore

/// A request with verified scope and APIs: the access it asks for.
struct AccessRequest<Base: ClientStage>: ScopeStage {
    let base: Base
    let scope: Scope
    /// The APIs that the request names; empty for the default API.
    let resources: [String]
    /// The requested authorization details; `nil` if the request has none.
    var details: [AuthorizationDetail]?

    var clientRequest: ClientRequest { base.clientRequest }
}

extension AccessRequest: ProvenStage where Base: ProvenStage {
    var proof: VerifiedProof? { base.proof }
}
