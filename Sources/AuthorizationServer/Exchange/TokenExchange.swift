// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore

/// The tokens of a token exchange, verified (RFC 8693 section 2.1).
struct TokenExchange: Sendable {
    /// How many actors a token names at most, one within the other: no answer grows without end.
    static let maximumActors = 8

    /// Whom the result is about.
    let subject: PresentedToken
    /// Who will act, when that is not the client itself.
    var actor: PresentedToken?

    /// Whether a client asks for less than it has: then nobody acts for anybody who did not before.
    func isOwn(of client: RegisteredClient) -> Bool {
        actor == nil && subject.isOf(client)
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
