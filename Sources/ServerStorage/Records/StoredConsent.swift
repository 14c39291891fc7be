// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem

/// A stored consent of a user to a client, which need not be asked again.
public struct StoredConsent: Sendable, Hashable {
    /// The user (`sub`).
    public var subject: String
    /// The client.
    public var clientID: String
    /// The hash of what was requested in addition to the scope; other details need another consent.
    public var detailsHash: SecretHash
    /// The granted scope.
    public var scope: Scope
    /// The time of the last consent.
    public var rememberedAt: Timestamp

    /// Makes a consent.
    ///
    /// - Parameters:
    ///   - subject: The user (`sub`).
    ///   - clientID: The client.
    ///   - detailsHash: The hash of what was requested in addition to the scope.
    ///   - scope: The granted scope.
    ///   - rememberedAt: The time of the last consent.
    public init(
        subject: String,
        clientID: String,
        detailsHash: SecretHash,
        scope: Scope,
        rememberedAt: Timestamp
    ) {
        self.subject = subject
        self.clientID = clientID
        self.detailsHash = detailsHash
        self.scope = scope
        self.rememberedAt = rememberedAt
    }
}

extension StoredConsent {
    /// Adds an earlier consent: the rule of ``ConsentDecision/givenToRemember(_:)`` for all drivers.
    ///
    /// - Parameter former: The stored consent for the same user, client and details.
    package mutating func extend(_ former: StoredConsent) {
        let added = scope.tokens.filter { !former.scope.contains($0) }
        // The tokens of two valid scopes form a valid scope.
        scope = (try? Scope(former.scope.tokens + added)) ?? scope
    }
}
