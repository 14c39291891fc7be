// SPDX-License-Identifier: Apache-2.0

/// A token request with the tokens that are to be exchanged (RFC 8693 section 2.1).
struct ExchangeRequest: ExchangeStage {
    let token: TokenRequest
    var exchange: TokenExchange
}
