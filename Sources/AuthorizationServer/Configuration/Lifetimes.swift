// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// The lifetimes of what the server issues and stores.
public struct Lifetimes: Sendable, Hashable {
    /// Authorization codes; at most 60 s (FAPI 2.0 section 5.3.2.1).
    public var authorizationCode: Duration
    /// Access tokens.
    public var accessToken: Duration
    /// Refresh tokens, from their last use; see also ``grant``.
    public var refreshToken: Duration
    /// Grants of users, from the user's consent, however often their refresh tokens are used; `nil`, the default, for no
    /// limit (RFC 9700 section 4.14.2).
    ///
    /// Then the user has to sign in again, or, in a browser that is still signed in, the app has to ask again. At least as
    /// long as ``accessToken``.
    public var grant: Duration?
    /// Authorization requests, pushed or not, until the user decides; less than 600 s (FAPI 2.0).
    public var authorizationRequest: Duration
    /// Sessions of a browser.
    public var session: Duration
    /// How long the same key may use a refresh token again after it was rotated, while the new token is unused.
    ///
    /// At most twice: one more use revokes the grant, as does one that is later (RFC 9700 section 4.14.2).
    public var refreshGrace: Duration
    /// The codes of a device that waits for the user's decision (RFC 8628); at most an hour.
    ///
    /// Long enough to find a phone and to sign in. The user code can be guessed during all of that time.
    public var deviceCode: Duration = .seconds(600)
    /// The polling interval of such a device, before any `slow_down` error.
    public var devicePollInterval: Duration = .seconds(5)

    /// Makes lifetimes.
    ///
    /// - Parameters:
    ///   - authorizationCode: Authorization codes.
    ///   - accessToken: Access tokens.
    ///   - refreshToken: Refresh tokens, from their last use.
    ///   - authorizationRequest: Authorization requests.
    ///   - session: Sessions of a browser.
    ///   - refreshGrace: The reuse of a rotated refresh token.
    public init(
        authorizationCode: Duration = .seconds(60),
        accessToken: Duration = .seconds(300),
        refreshToken: Duration = .seconds(30 * 86_400),
        authorizationRequest: Duration = .seconds(590),
        session: Duration = .seconds(8 * 3600),
        refreshGrace: Duration = .seconds(30)
    ) {
        self.authorizationCode = authorizationCode
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.authorizationRequest = authorizationRequest
        self.session = session
        self.refreshGrace = refreshGrace
    }

    func validate() throws(AuthorizationServerError) {
        let all = [
            ("authorizationCode", authorizationCode), ("accessToken", accessToken), ("refreshToken", refreshToken),
            ("authorizationRequest", authorizationRequest), ("session", session), ("deviceCode", deviceCode),
        ]
        for (name, lifetime) in all where lifetime < .seconds(1) {
            throw .invalid("lifetimes.\(name)", "every lifetime is at least one second")
        }
        guard devicePollInterval >= .seconds(1) else {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "a device waits at least one second between two requests"
            )
        }
        guard grant.map({ $0 >= accessToken }) ?? true else {
            throw .invalid("lifetimes.grant", "a grant lasts at least as long as an access token is valid")
        }
        guard refreshGrace >= .zero else {
            throw .invalid("lifetimes.refreshGrace", "the grace for a repeated refresh token is not negative")
        }
        guard authorizationCode <= .seconds(60) else {
            throw .invalid("lifetimes.authorizationCode", "a code lives at most 60 seconds (FAPI 2.0)")
        }
        guard deviceCode <= .seconds(3600) else {
            throw .invalid("lifetimes.deviceCode", "the codes of a device live at most an hour")
        }
        guard authorizationRequest < .seconds(600) else {
            throw .invalid("lifetimes.authorizationRequest", "a request waits less than 600 seconds (FAPI 2.0)")
        }
    }
}
