// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem

/// What a person allowed a client and need not be asked again.
public struct RememberedConsent: Sendable, Hashable {
    /// Who allowed it (`sub`).
    public var subject: String
    /// To whom.
    public var clientID: String
    /// The hash of what was asked for beside the scope: another request of that kind is another consent.
    public var detailsHash: SecretHash
    /// What was allowed.
    public var scope: Scope
    /// When, the last time.
    public var rememberedAt: Timestamp

    /// Describes a consent.
    ///
    /// - Parameters:
    ///   - subject: Who allowed it.
    ///   - clientID: To whom.
    ///   - detailsHash: The hash of what was asked for beside the scope.
    ///   - scope: What was allowed.
    ///   - rememberedAt: When, the last time.
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

extension RememberedConsent {
    /// Adds what was allowed before: the rule of ``ConsentBasis/givenToRemember(_:)``, for all drivers.
    ///
    /// - Parameter former: The consent that is stored of the same person, client and details.
    package mutating func extend(_ former: RememberedConsent) {
        let added = scope.tokens.filter { !former.scope.contains($0) }
        // Words of two scopes are words of one.
        scope = (try? Scope(former.scope.tokens + added)) ?? scope
    }
}
