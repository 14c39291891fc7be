// SPDX-License-Identifier: Apache-2.0

import DPoP

/// A token request with the target of its access token.
struct TargetedRequest<Base: ClientStage>: ClientStage {
    let base: Base
    let target: AccessTokenTarget

    var clientRequest: ClientRequest { base.clientRequest }
}

extension TargetedRequest: ProvenStage where Base: ProvenStage {
    var proof: VerifiedProof? { base.proof }
}

extension TargetedRequest: ExchangeStage where Base: ExchangeStage {
    var token: TokenRequest { base.token }
    var exchange: TokenExchange { base.exchange }
}

/// A client credentials request (RFC 6749 section 4.4).
typealias ClientCredentialsRequest = TargetedRequest<AccessRequest<TokenRequest>>
