// SPDX-License-Identifier: Apache-2.0

import JOSE
import ServerStorage
import StrictJSON

/// The tokens of a token exchange, verified (RFC 8693 section 2.1).
struct TokenExchange: Sendable {
    /// How many actors a token names at most, one within the other: no answer grows without end.
    static let maximumActors = 8

    /// Whom the result is about.
    let subject: ExchangedToken
    /// Who will act, when that is not the client itself.
    var actor: ExchangedToken?

    /// Whether a client asks for less than it has: then nobody acts for anybody who did not before.
    func isOwn(of client: RegisteredClient) -> Bool {
        actor == nil && subject.isOf(client)
    }

    /// What the result says of the person and of who acts: what the subject token says, and who acts now.
    func claims(for client: RegisteredClient) -> [(name: String, value: JSONValue?)] {
        ["auth_time", "acr", "amr", "may_act"].map { ($0, subject.claims.object[$0]) }
            + [("act", actorClaim(for: client))]
    }

    /// `sub` of who acts.
    func actorName(_ client: RegisteredClient) -> String {
        actor?.claims.subject ?? client.clientID
    }

    /// `act` of the result (section 4.1): who acts now, and within it who did before.
    func actorClaim(for client: RegisteredClient) -> JSONValue? {
        let former = subject.claims.object["act"]
        let isUnnamed = actor == nil && client.tokenExchangeRights.contains(.impersonationWithoutNamingTheActor)
        guard !isOwn(of: client), !isUnnamed else { return former }
        var object: JSONObject = ["sub": .string(actorName(client))]
        object["act"] = former
        return .object(object)
    }
}
