// SPDX-License-Identifier: Apache-2.0

import DPoP

/// A token request for which it is known what the access token is for.
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

/// The request of a client that asks for itself (RFC 6749 section 4.4).
typealias ClientCredentialsRequest = TargetedRequest<AccessRequest<TokenRequest>>
