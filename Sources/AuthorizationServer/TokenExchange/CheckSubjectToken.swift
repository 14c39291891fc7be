// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import StrictJSON

/// RFC 8693 section 2.1: the subject token is an active access token of this server that this client may exchange.
///
/// The client is the one that the token was issued to, the server of an API that it is for, or the actor in its
/// `may_act`.
struct CheckSubjectToken: Check {
    let section = "RFC 8693 section 2.1"

    func run(
        _ request: Found<TokenRequest, ExchangedToken>,
        _ services: Services
    ) throws(ProtocolFailure) -> ExchangeRequest {
        guard try request.base.presentedToken("subject_token") != nil else {
            throw ProtocolFailure(.invalidRequest, "the parameter 'subject_token' is missing")
        }
        guard let token = request.value else { throw Self.refused }
        let client = request.base.client
        let isNamed = token.claims.object["may_act"] != nil
        guard token.isOf(client) || token.isFor(client) || isNamed else { throw Self.refused }
        guard token.actorCount < TokenExchange.maximumActors else {
            throw ProtocolFailure(.invalidRequest, "the subject token has been exchanged too often")
        }
        return ExchangeRequest(token: request.base, exchange: TokenExchange(subject: token))
    }

    /// Section 2.2.2; one error for every token that cannot be exchanged.
    static let refused = ProtocolFailure(
        .invalidRequest,
        "the token is no access token of this server, expired, revoked, or not for this client to exchange"
    )
}

extension ExchangedToken {
    /// How many nested actors the token names.
    fileprivate var actorCount: Int {
        var (count, next) = (0, claims.object["act"]?.objectValue)
        while let actor = next {
            count += 1
            next = actor["act"]?.objectValue
        }
        return count
    }
}
