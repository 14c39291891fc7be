// SPDX-License-Identifier: Apache-2.0

/// How often one address, or one client, may do what costs the server something, or what guesses.
///
/// An address is one of IPv4, or a /64 of IPv6. Guesses are counted when they fail, so that any number of people behind one
/// address can sign in and refresh; what is stored for nobody known is counted always. Trusted proxies themselves are not
/// limited, nor is anybody by address when the server is not told addresses.
///
/// A client is counted besides, once it has shown who it is: with a secret or a key wherever it asks from, and a public one,
/// which has neither, at each address. So no client is kept out by somebody who only uses its name.
///
/// How often one account may be guessed at is no setting: ten times, then after pauses that grow from one minute to eight.
public struct RateLimits: Sendable, Hashable {
    /// Passwords that were wrong.
    public var login: RateLimit?
    /// Requests to the token, revocation, introspection and registration endpoints that were refused; to ask for a nonce is
    /// no refusal.
    public var token: RateLimit?
    /// Authorization requests, pushed or brought by the browser, and those of devices: about three for a sign-in.
    public var authorizationRequest: RateLimit?
    /// What ``token`` counts, of one client that has authenticated itself; 3000 in a minute unless an operator decides.
    public var clientToken = RateLimit(3000, per: .seconds(60))
    /// Requests that one client pushed, or devices of it began, after it authenticated itself; 6000 in a minute unless an
    /// operator decides.
    public var clientAuthorizationRequest = RateLimit(6000, per: .seconds(60))
    /// What ``token`` counts, of one public client at one address; 300 in a minute unless an operator decides.
    public var publicClientToken = RateLimit(300, per: .seconds(60))
    /// Requests that one public client pushed, or devices of it began, at one address; 600 in a minute unless an operator
    /// decides.
    public var publicClientAuthorizationRequest = RateLimit(600, per: .seconds(60))

    /// The limits that hold unless an operator decides: of an address 300 wrong passwords in 10 minutes, 600 refused token
    /// requests and 1200 authorization requests in a minute.
    public static let standard = RateLimits(
        login: RateLimit(300, per: .seconds(600)),
        token: RateLimit(600, per: .seconds(60)),
        authorizationRequest: RateLimit(1200, per: .seconds(60))
    )

    /// Makes limits; those of clients are the standard ones.
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
