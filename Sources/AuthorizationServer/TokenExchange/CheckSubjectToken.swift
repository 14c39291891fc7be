// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import StrictJSON

/// RFC 8693 section 2.1: the subject token is an access token of this server, in force, and the client is one of those that
/// may have it: the client it was given out to, the server of an API it is for, or who is named in its `may_act`.
struct CheckSubjectToken: Check {
    let section = "RFC 8693 section 2.1"

    func run(_ request: inout ProtocolRequest, _ services: Services) async throws(ProtocolFailure) {
        let client = try request.established(request.client)
        let token = try await request.presentedToken("subject_token", services)
        guard let token else { throw ProtocolFailure(.invalidRequest, "the parameter 'subject_token' is missing") }
        let isNamed = token.claims.object["may_act"] != nil
        guard token.isOf(client) || token.isFor(client) || isNamed else { throw Self.refused }
        guard token.actorCount < TokenExchange.maximumActors else {
            throw ProtocolFailure(.invalidRequest, "the subject token has been exchanged too often")
        }
        request.exchange = TokenExchange(subject: token)
    }

    /// Section 2.2.2; one answer for every token that cannot be exchanged.
    static let refused = ProtocolFailure(
        .invalidRequest,
        "the token is no access token of this server, expired, revoked, or not for this client to exchange"
    )
}

extension ProtocolRequest {
    /// The token of a parameter, and its type in a second one; `nil` when there is neither.
    func presentedToken(_ name: String, _ services: Services) async throws(ProtocolFailure) -> PresentedToken? {
        let type = try parameter(name + "_type")
        guard let text = try parameter(name) else {
            guard type == nil else { throw ProtocolFailure(.invalidRequest, "there is a type of a token and no token") }
            return nil
        }
        guard type == TokenTypeIdentifier.accessToken.rawValue else {
            throw ProtocolFailure(.invalidRequest, "the type of the token is missing, or not that of access tokens")
        }
        guard let token = try await PresentedToken(text, services, at: now) else { throw CheckSubjectToken.refused }
        return token
    }
}

extension PresentedToken {
    /// How many actors the token names, one within the other.
    fileprivate var actorCount: Int {
        var (count, next) = (0, claims.object["act"]?.objectValue)
        while let actor = next {
            count += 1
            next = actor["act"]?.objectValue
        }
        return count
    }
}
