// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem

extension ServerConfiguration {
    /// The most names of claims.
    private static let maximumClaims = 32

    /// The names of all claims that users may have, each once.
    var claimNames: [String] { Self.names(of: claims) }

    /// The names of the claims that a scope releases (OpenID Connect Core section 5.4).
    func claimNames(releasedBy scope: Scope) -> [String] {
        // Most servers have none, and every token asks.
        claims.isEmpty ? [] : Self.names(of: claims.filter { scope.contains($0.scope) })
    }

    /// The names of the claims that a scope releases to the APIs of an access token (RFC 9068 section 2.2.3).
    func claimNames(releasedBy scope: Scope, to target: AccessTokenTarget) -> [String] {
        target.claims.isEmpty ? [] : claimNames(releasedBy: scope).filter(target.claims.contains)
    }

    /// Whether a scope value is about the user, and so belongs to no API (OpenID Connect Core sections 3.1.2.1 and 5.4).
    ///
    /// One that releases claims is, unless an API has it.
    func isAboutPerson(_ word: String) -> Bool {
        guard !Scope.aboutPeople.contains(word) else { return true }
        return claims.contains { $0.scope.isIdentical(to: word) }
            && !resources.contains { resource in resource.scopes.contains { $0.isIdentical(to: word) } }
    }

    func validateClaims() throws(AuthorizationServerError) {
        guard Set(claims.map(\.scope)).count == claims.count else {
            throw .invalid("claims", "a scope is described once")
        }
        for entry in claims {
            guard existingScope.contains(entry.scope) else {
                // A scope token has no characters that a terminal might obey (RFC 6749 section 3.3).
                let isScope = (try? Scope([entry.scope])) != nil
                throw .invalid("claims", "\(isScope ? "'\(entry.scope)'" : "a scope") does not exist: add it to scopes")
            }
            guard !entry.names.isEmpty else {
                throw .invalid("claims", "a scope that is listed here names a claim at least")
            }
            for name in entry.names {
                if let problem = UserClaims.problem(ofName: name) { throw .invalid("claims", problem) }
            }
        }
        guard claimNames.count <= Self.maximumClaims else {
            throw .invalid("claims", "there are at most \(Self.maximumClaims) names of claims")
        }
        let known = claimNames
        for name in resources.flatMap(\.claims) where !known.contains(where: { $0.isIdentical(to: name) }) {
            // A name of another form might have characters that a terminal obeys.
            let shown = UserClaims.isName(name) ? "'\(name)'" : "a claim"
            throw .invalid("resources", "\(shown) is released by no scope: add it to claims")
        }
    }

    private static func names(of entries: [ScopeClaims]) -> [String] {
        var names: [String] = []
        for name in entries.flatMap(\.names) where !names.contains(name) { names.append(name) }
        return names
    }
}
