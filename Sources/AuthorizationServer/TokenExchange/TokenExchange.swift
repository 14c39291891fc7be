// SPDX-License-Identifier: Apache-2.0

import JOSE
import ServerStorage
import StrictJSON

/// The verified tokens of a token exchange (RFC 8693 section 2.1).
struct TokenExchange: Sendable {
    /// The most nested actors in a token, so that responses cannot grow without limit.
    static let maximumActors = 8
    /// The longest chain of grants that a grant may derive from: every use of its token reads them all.
    static let maximumParents = 8

    /// The subject token.
    let subject: ExchangedToken
    /// The actor token; `nil` if the client itself is the actor.
    var actor: ExchangedToken?

    /// Whether a client narrows its own token.
    ///
    /// No delegation is involved.
    func isOwn(of client: RegisteredClient) -> Bool {
        actor == nil && subject.isOf(client)
    }

    /// The claims of the new token about subject and actors: those of the subject token, and the current actor.
    func claims(for client: RegisteredClient) -> [(name: String, value: JSONValue?)] {
        ["auth_time", "acr", "amr", "may_act"].map { ($0, subject.claims.object[$0]) }
            + [("act", actorClaim(for: client))]
    }

    /// `sub` of the actor.
    func actorName(_ client: RegisteredClient) -> String {
        actor?.claims.subject ?? client.clientID
    }

    /// `act` of the new token (section 4.1): the current actor, with earlier actors nested in it.
    func actorClaim(for client: RegisteredClient) -> JSONValue? {
        let former = subject.claims.object["act"]
        let isUnnamed = actor == nil && client.tokenExchangeRights.contains(.impersonationWithoutNamingTheActor)
        guard !isOwn(of: client), !isUnnamed else { return former }
        var object: JSONObject = ["sub": .string(actorName(client))]
        object["act"] = former
        return .object(object)
    }
}
