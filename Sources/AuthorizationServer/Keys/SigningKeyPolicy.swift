// SPDX-License-Identifier: Apache-2.0

/// When the keys that sign tokens are rotated.
public struct SigningKeyPolicy: Sendable, Hashable {
    /// How long a key signs before the next one replaces it.
    public var rotation: Duration
    /// How long a key is published before it signs, so that every cache has it by then.
    public var publication: Duration

    /// Makes a policy; see ``validate(tokenLifetime:)``.
    ///
    /// - Parameters:
    ///   - rotation: How long a key signs.
    ///   - publication: How long a key is published before it signs: longer than any verifier caches the key set.
    public init(rotation: Duration = .seconds(30 * 86_400), publication: Duration = .seconds(3600)) {
        self.rotation = rotation
        self.publication = publication
    }

    /// How often a process reads the stored keys; often enough that all processes publish a key in time.
    public var refreshInterval: Duration {
        min(.seconds(5), publication / 8)
    }

    /// How long caches may keep the key set: half of the publication, since a process may see a new key a little later.
    var maximumAge: Duration {
        min(.seconds(300), publication / 2)
    }

    /// How long a retired key stays published after its last token expires: clocks differ, and processes do not switch
    /// keys at the same moment.
    static let leeway: Duration = .seconds(60)

    /// The most retired keys of one algorithm: verifiers read a set of at most 100 keys.
    private static let mostRetiredKeys = 16

    /// Validates the policy.
    ///
    /// - Parameter tokenLifetime: The longest validity of anything that a key signs.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/invalidConfiguration``, naming the
    ///   rule.
    public func validate(tokenLifetime: Duration) throws(AuthorizationServerError) {
        guard publication >= .seconds(2) else {
            throw .invalid("keys.publication", "a key is published at least two seconds before it signs")
        }
        guard rotation >= publication * 2 else {
            throw .invalid("keys.rotation", "a key signs at least twice as long as it is published before")
        }
        guard rotation * Self.mostRetiredKeys >= tokenLifetime else {
            throw .invalid(
                "keys.rotation",
                "a key signs at least a sixteenth of the time that access tokens and sessions live: the set of keys would grow"
            )
        }
    }
}
