// SPDX-License-Identifier: Apache-2.0

import DPoP

/// A stage at which the tokens to exchange are known.
protocol ExchangeStage: ProvenStage {
    var token: TokenRequest { get }
    var exchange: TokenExchange { get }
}

extension ExchangeStage {
    var clientRequest: ClientRequest { token.base }
    var proof: VerifiedProof? { token.proof }
}
