// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// RFC 8693 section 2.1: the subject token is an active access token of this server that this client may exchange.
///
/// The client is the one that the token was issued to, the server of an API that it is for, or the actor in its
/// `may_act`.
struct CheckSubjectToken: Verification {
    let section = "RFC 8693 section 2.1"

    func run(
        _ request: ProvenRequest<AuthenticatedRequest<TokenReads>>,
        _ services: Services
    ) async throws(ProtocolFailure) -> ExchangeRequest {
        guard let text = try request.presentedToken("subject_token") else {
            throw ProtocolFailure(.invalidRequest, "the parameter 'subject_token' is missing")
        }
        let (reads, client) = (request.base.reads.tokens, request.client)
        guard let token = try await ExchangedToken(text, reads.first, services, at: request.now) else {
            throw Self.refused
        }
        let isNamed = token.claims.object["may_act"] != nil
        guard token.isOf(client) || token.isFor(client) || isNamed else { throw Self.refused }
        // Each exchange makes a new grant derive from the last one, even if no actor is added: for a client that
        // narrows its own token, and for one that is not named.
        guard token.actorCount < TokenExchange.maximumActors, token.parentCount < TokenExchange.maximumParents else {
            throw ProtocolFailure(
                .invalidRequest,
                "the subject token has been exchanged too often: exchange the token that it comes from"
            )
        }
        return ExchangeRequest(
            token: request.tokenRequest(),
            exchange: TokenExchange(subject: token),
            actorRead: reads.dropFirst().first
        )
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
