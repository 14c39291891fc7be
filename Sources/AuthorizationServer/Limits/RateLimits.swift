// SPDX-License-Identifier: Apache-2.0

/// The rate limits per address and per client, for requests that cost the server something or may be guesses.
///
/// An address is one IPv4 address, or a /64 of IPv6. Guesses count when they fail, so any number of users behind one
/// address can sign in and refresh. Requests that are stored before authentication always count. Trusted proxies
/// themselves are not limited. Without client addresses, there are no limits per address.
///
/// Clients are counted in addition. A client that authenticates with a secret or a key is counted wherever its requests
/// come from; a public client is counted per address, so an attacker who only uses its name does not use up these limits
/// for others.
///
/// One limit applies to a public client as a whole: that of proofs in requests that anyone can make, such as pushed and
/// device authorization requests. A client may send 25,000 at once and as many again in each 400 seconds, an address
/// 2,500; polls of devices that wait for their user have limits of their own, as large as these. A proof is remembered
/// for less than 400 seconds, so the proofs of a client take at most 100,000 of the 200,000 places for them, and those
/// of an address 10,000. Ten addresses that use up their limit in the name of one client delay its users whose requests
/// have a proof, or make its devices poll less often. Requests without a proof, such as pushed ones with `dpop_jkt`,
/// still work, and other clients are not affected.
///
/// The limit for guesses against one account is fixed: ten, then with pauses that grow from one minute to eight. After
/// a hundred failures in a row, its password is accepted only in browsers in which the user has signed in before, until
/// the user signs in there or gets a new password (NIST SP 800-63B-4 section 3.2.2). After a hundred failures in such a
/// browser, it is treated like any other.
public struct RateLimits: Sendable, Hashable {
    /// Wrong passwords, or rejected responses of a login provider.
    public var login: RateLimit?
    /// Rejected requests to the token, revocation, introspection and registration endpoints.
    ///
    /// A nonce challenge is no rejection.
    public var token: RateLimit?
    /// Authorization requests, pushed or from a browser, and device authorization requests: about three per sign-in.
    ///
    /// Responses of a login provider are counted separately, with the same limit.
    public var authorizationRequest: RateLimit?
    /// Registrations without a token, where they are open; by default 20 an hour.
    public var registration = RateLimit(20, per: .seconds(3600))
    /// Metadata documents and key sets of clients that are fetched for an address; by default 60 in 10 minutes.
    public var clientDocument = RateLimit(60, per: .seconds(600))
    /// As ``token``, for one authenticated client; by default 3000 per minute.
    public var clientToken = RateLimit(3000, per: .seconds(60))
    /// Pushed and device authorization requests of one authenticated client; by default 6000 per minute.
    public var clientAuthorizationRequest = RateLimit(6000, per: .seconds(60))
    /// As ``token``, for one public client at one address; by default 300 per minute.
    public var publicClientToken = RateLimit(300, per: .seconds(60))
    /// Pushed and device authorization requests of one public client at one address; by default 600 per minute.
    public var publicClientAuthorizationRequest = RateLimit(600, per: .seconds(60))
    /// Proofs of pushed and device authorization requests that name one client, and as many of its waiting devices.
    ///
    /// A limit lets through twice its count in one period, so both together are at most half of the memory for them.
    package var pushedProofsOfClient = RateLimit(25_000, per: .seconds(400))
    /// The same for one address: at most a twentieth.
    package var pushedProofsOfAddress = RateLimit(2500, per: .seconds(400))
    /// Polls of waiting devices at one address, beyond these shares, that do not count as rejected token requests.
    package var waitingPollsOfAddress = RateLimit(600, per: .seconds(60))

    /// Client assertions from one address of clients that no operator registered: with those of the next limit, at most a
    /// twentieth of the memory for them.
    package var unregisteredAssertionsOfAddress = RateLimit(20_000, per: .seconds(800))
    /// Request objects with a `jti` from one address of such clients, which can be valid for an hour.
    package var unregisteredRequestObjectsOfAddress = RateLimit(5000, per: .seconds(4000))

    /// The default limits of an address: 300 wrong passwords in 10 minutes, 600 rejected token requests and 1200
    /// authorization requests per minute.
    public static let standard = RateLimits(
        login: RateLimit(300, per: .seconds(600)),
        token: RateLimit(600, per: .seconds(60)),
        authorizationRequest: RateLimit(1200, per: .seconds(60))
    )

    /// Makes limits for addresses; those for clients have their defaults.
    ///
    /// - Parameters:
    ///   - login: Wrong passwords; `nil` for no limit.
    ///   - token: Rejected token and revocation requests; `nil` for no limit.
    ///   - authorizationRequest: Authorization requests; `nil` for no limit.
    public init(login: RateLimit?, token: RateLimit?, authorizationRequest: RateLimit?) {
        self.login = login
        self.token = token
        self.authorizationRequest = authorizationRequest
    }
}
