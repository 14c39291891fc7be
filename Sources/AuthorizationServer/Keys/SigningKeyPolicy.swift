// SPDX-License-Identifier: Apache-2.0

/// When keys that sign tokens are replaced.
public struct SigningKeyPolicy: Sendable, Hashable {
    /// How long a key signs before the next one takes its place.
    public var rotation: Duration
    /// How long a key is published before it signs, so that no cache is without it.
    public var publication: Duration

    /// Makes a policy; see ``validate(tokenLifetime:)``.
    ///
    /// - Parameters:
    ///   - rotation: How long a key signs.
    ///   - publication: How long a key is published before it signs: longer than anybody keeps the set of keys.
    public init(rotation: Duration = .seconds(30 * 86_400), publication: Duration = .seconds(3600)) {
        self.rotation = rotation
        self.publication = publication
    }

    /// How often a process looks at what is stored; soon enough that a key is published by all of them in time.
    public var refreshInterval: Duration {
        min(.seconds(5), publication / 8)
    }

    /// How long others may keep the set of keys: half of the publication, since a process may learn of a key a little later.
    var maximumAge: Duration {
        min(.seconds(300), publication / 2)
    }

    /// How much longer than its tokens a retired key stays published: clocks differ, and processes change keys one after
    /// another.
    static let leeway: Duration = .seconds(60)

    /// As many retired keys of one algorithm there are at most: verifiers read a set of at most 100 keys.
    private static let mostRetiredKeys = 16

    /// Checks what can be wrong with a policy.
    ///
    /// - Parameter tokenLifetime: How long what a key signs can be valid.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidConfiguration``, naming the rule.
    public func validate(tokenLifetime: Duration) throws(AuthorizationServerError) {
        guard publication >= .seconds(2) else {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "a key is published at least two seconds before it signs"
            )
        }
        guard rotation >= publication * 2 else {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "a key signs at least twice as long as it is published before"
            )
        }
        guard rotation * Self.mostRetiredKeys >= tokenLifetime else {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "a key signs at least a sixteenth of the time that access tokens and sessions live: the set of keys would grow"
            )
        }
    }
}
