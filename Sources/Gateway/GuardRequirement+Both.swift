// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ResourceServer

extension GuardRequirement {
    /// The requirement that includes this one and another one; `nil` if no token can meet both.
    func and(_ other: GuardRequirement) -> GuardRequirement? {
        guard let scope = try? Scope(scope.tokens + other.scope.tokens) else { return nil }
        var contexts = contexts.isEmpty ? other.contexts : contexts
        if !other.contexts.isEmpty {
            contexts = contexts.filter { mine in other.contexts.contains { $0.utf8.elementsEqual(mine.utf8) } }
            guard !contexts.isEmpty else { return nil }
        }
        var both = GuardRequirement(
            scope: scope,
            claims: claims + other.claims.filter { theirs in !claims.contains { $0.implies(theirs) } },
            contexts: contexts,
            maximumAge: [maximumAge, other.maximumAge].compactMap(\.self).min(),
            // If the two differ, only bound tokens are accepted: the safer choice.
            allowsUnboundTokens: allowsUnboundTokens == other.allowsUnboundTokens ? allowsUnboundTokens : false
        )
        both.anyScopes = anyScopes + other.anyScopes.filter { !implies(oneOf: $0) }
        return both
    }

    /// Whether every token that meets this requirement has one scope of a list.
    private func implies(oneOf list: Scope) -> Bool {
        scope.tokens.contains(where: list.contains) || anyScopes.contains { $0.isSubset(of: list) }
    }

    /// Whether every token that meets this requirement also meets another one.
    func includes(_ other: GuardRequirement) -> Bool {
        and(other) == self
    }
}
