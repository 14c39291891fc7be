// SPDX-License-Identifier: Apache-2.0

/// The rules for sign-ins without a browser (OAuth 2.0 for First-Party Applications); by default there are none.
public struct FirstPartyPolicy: Sendable, Hashable {
    /// The shortest and the longest ``sessionLifetime``.
    static let lifetimes: ClosedRange<Duration> = .seconds(30) ... .seconds(900)

    /// Whether the authorization challenge endpoint exists.
    public var isOn: Bool
    /// Whether also first-party clients may use it that authenticate in another way than by attestation.
    ///
    /// Any program can then name such a client and ask for passwords (section 9.4).
    public var allowsUnattestedClients: Bool
    /// The time from the first request to the code; 30 seconds to 15 minutes, and never prolonged.
    public var sessionLifetime: Duration

    /// Makes rules.
    ///
    /// - Parameters:
    ///   - isOn: Whether the endpoint exists.
    ///   - allowsUnattestedClients: Whether also clients without attestation may use it.
    ///   - sessionLifetime: The time from the first request to the code.
    public init(
        isOn: Bool = false,
        allowsUnattestedClients: Bool = false,
        sessionLifetime: Duration = .seconds(300)
    ) {
        self.isOn = isOn
        self.allowsUnattestedClients = allowsUnattestedClients
        self.sessionLifetime = sessionLifetime
    }
}

extension ServerConfiguration {
    func validateFirstParty() throws(AuthorizationServerError) {
        guard FirstPartyPolicy.lifetimes.contains(firstParty.sessionLifetime) else {
            throw .invalid("authSessionLifetime", "a sign-in without a browser takes 30 seconds to 15 minutes")
        }
    }
}
