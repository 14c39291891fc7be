// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ResourceServer

extension GuardRequirement {
    /// What a token needs for this requirement and for another one; `nil` if none can have it.
    func and(_ other: GuardRequirement) -> GuardRequirement? {
        guard let scope = try? Scope(scope.tokens + other.scope.tokens) else { return nil }
        var contexts = contexts.isEmpty ? other.contexts : contexts
        if !other.contexts.isEmpty {
            contexts = contexts.filter { mine in other.contexts.contains { $0.utf8.elementsEqual(mine.utf8) } }
            guard !contexts.isEmpty else { return nil }
        }
        return GuardRequirement(
            scope: scope,
            contexts: contexts,
            maximumAge: [maximumAge, other.maximumAge].compactMap(\.self).min(),
            // Where only one says so, bound tokens are the safer reading.
            allowsUnboundTokens: allowsUnboundTokens == other.allowsUnboundTokens ? allowsUnboundTokens : false
        )
    }

    /// Whether each token that satisfies this requirement also satisfies another one.
    func includes(_ other: GuardRequirement) -> Bool {
        and(other) == self
    }
}
