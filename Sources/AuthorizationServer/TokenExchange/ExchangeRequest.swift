// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A token request with the tokens to exchange (RFC 8693 section 2.1).
struct ExchangeRequest: ExchangeStage {
    let token: TokenRequest
    var exchange: TokenExchange
    /// What is stored about the actor token; `nil` without one.
    let actorRead: TokenRead?
}
