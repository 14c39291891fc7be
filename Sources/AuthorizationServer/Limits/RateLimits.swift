// SPDX-License-Identifier: Apache-2.0

/// How often one address may do what costs the server something, or what guesses.
///
/// An address is one of IPv4, or a /64 of IPv6. Guesses are counted when they fail, so that any number of people behind one
/// address can sign in and refresh; what is stored for nobody known is counted always. Trusted proxies themselves are not
/// limited, nor is anybody when the server is not told addresses. How often one account may be guessed at is no setting: ten
/// times, then after pauses that grow from one minute to eight.
public struct RateLimits: Sendable, Hashable {
    /// Passwords that were wrong.
    public var login: RateLimit?
    /// Requests to the token and revocation endpoints that were refused; to ask for a nonce is no refusal.
    public var token: RateLimit?
    /// Authorization requests, pushed or brought by the browser: about three for a sign-in.
    public var authorizationRequest: RateLimit?

    /// The limits that hold unless an operator decides: 300 wrong passwords in 10 minutes, 600 refused token requests and
    /// 1200 authorization requests in a minute.
    public static let standard = RateLimits(
        login: RateLimit(300, per: .seconds(600)),
        token: RateLimit(600, per: .seconds(60)),
        authorizationRequest: RateLimit(1200, per: .seconds(60))
    )

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - login: Passwords that were wrong; `nil` for no limit.
    ///   - token: Token and revocation requests that were refused; `nil` for no limit.
    ///   - authorizationRequest: Authorization requests; `nil` for no limit.
    public init(login: RateLimit?, token: RateLimit?, authorizationRequest: RateLimit?) {
        self.login = login
        self.token = token
        self.authorizationRequest = authorizationRequest
    }
}
