// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthCore
import ServerStorage

/// A checked token exchange, with the authorization details of the new token (RFC 9396 section 6).
struct DetailedExchange: ProvenStage {
    let base: ScopedRequest<TargetedRequest<ExchangeRequest>>
    let details: [AuthorizationDetail]

    var clientRequest: ClientRequest { base.clientRequest }
    var proof: VerifiedProof? { base.proof }
}
