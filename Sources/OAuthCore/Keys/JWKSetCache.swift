// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
public import OAuthSystem
import StrictJSON
import Synchronization

/// A cache of the keys that an issuer publishes, fetched on demand (RFC 7517 section 5).
///
/// A token with an unknown `kid` causes a new fetch, because issuers rotate keys. An attacker can invent a `kid`, so
/// fetches are at least `minimumInterval` apart; only after a failure, some more may follow at once, if the cache was made so.
/// If the issuer does not respond, the cached keys stay in use for `maximumStaleness`.
public actor JWKSetCache: JWKSetSource {
    private struct Fetched {
        let keys: JWKSet
        let time: Timestamp
    }

    private let uri: URI
    private let transport: any HTTPTransport
    private let clock: any WallClock
    private let maximumAge: Duration
    private let minimumInterval: Duration
    private let maximumStaleness: Duration
    private let attemptsAtOnce: Int
    /// What was fetched last.
    ///
    /// Callers read it on their own thread: a request that waited for the actor would switch threads, which costs more than
    /// most of its checks.
    private let fetched = Mutex<Fetched?>(nil)
    private var lastAttempt: Timestamp?
    /// How many fetches in a row have failed.
    private var failures = 0
    private var running: Task<Fetched, any Error>?

    private static let maximumSize = 262_144

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - uri: `jwks_uri` of the issuer, from its metadata.
    ///   - transport: Sends the requests.
    ///   - clock: The time.
    ///   - maximumAge: The age at which keys are fetched again.
    ///   - minimumInterval: The minimum time between two fetches.
    ///   - maximumStaleness: How long cached keys may be used if the issuer does not respond.
    ///   - attemptsAtOnce: How many fetches may follow each other without `minimumInterval` as long as they fail. More than
    ///     1 is for clients, whose tokens come from the issuer and not from strangers.
    public init(
        uri: URI,
        transport: any HTTPTransport,
        clock: any WallClock = SystemWallClock(),
        maximumAge: Duration = .seconds(300),
        minimumInterval: Duration = .seconds(10),
        maximumStaleness: Duration = .seconds(3600),
        attemptsAtOnce: Int = 1
    ) {
        self.attemptsAtOnce = max(attemptsAtOnce, 1)
        self.uri = uri
        self.transport = transport
        self.clock = clock
        self.maximumAge = maximumAge
        self.minimumInterval = minimumInterval
        self.maximumStaleness = maximumStaleness
    }

    /// The keys of the issuer, fetched again if the cached ones are old or lack the requested key.
    ///
    /// - Parameter keyID: `kid` of the token to verify.
    /// - Returns: The keys.
    /// - Throws: ``OAuthCoreError`` – ``OAuthCoreError/Code/keysUnavailable``.
    public nonisolated func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet {
        let now = clock.now()
        if let keys = freshKeys(forKeyID: keyID, at: now) { return keys }
        return try await renewedKeys(forKeyID: keyID, at: now)
    }

    /// The cached keys, if they are not old and have the requested one.
    private nonisolated func freshKeys(forKeyID keyID: String?, at now: Timestamp) -> JWKSet? {
        guard let fetched = fetched.withLock(\.self), Self.isPast(fetched.time, by: maximumAge, at: now),
            Self.mayContain(keyID, in: fetched.keys)
        else { return nil }
        return fetched.keys
    }

    private func renewedKeys(forKeyID keyID: String?, at now: Timestamp) async throws(OAuthCoreError) -> JWKSet {
        // Another caller may have fetched them meanwhile.
        if let keys = freshKeys(forKeyID: keyID, at: now) { return keys }
        let mayRepeat = (1..<attemptsAtOnce).contains(failures)
        if running == nil, !mayRepeat, let lastAttempt, Self.isPast(lastAttempt, by: minimumInterval, at: now) {
            return try atHand(now)
        }
        do {
            let fetched = try await fetchOnce(at: now)
            self.fetched.withLock { $0 = fetched }
            failures = 0
            return fetched.keys
        } catch {
            return try atHand(now)
        }
    }

    private func atHand(_ now: Timestamp) throws(OAuthCoreError) -> JWKSet {
        guard let fetched = fetched.withLock(\.self), now - fetched.time < maximumStaleness else {
            throw OAuthCoreError(.keysUnavailable, "the keys of the issuer cannot be fetched at this moment")
        }
        return fetched.keys
    }

    /// Concurrent callers share one request.
    private func fetchOnce(at now: Timestamp) async throws -> Fetched {
        if let running { return try await running.value }
        lastAttempt = now
        let task = Task { [uri, transport] in
            Fetched(keys: try await Self.fetch(uri, transport), time: now)
        }
        running = task
        defer { running = nil }
        do {
            return try await task.value
        } catch {
            failures = failures % attemptsAtOnce + 1
            throw error
        }
    }

    private static func fetch(_ uri: URI, _ transport: any HTTPTransport) async throws -> JWKSet {
        let request = HTTPRequest(target: uri.description, fields: ["Accept": "application/json"])
        let response = try await transport.send(request, maximumBodySize: maximumSize)
        let limits = JSONLimits(maximumSize: maximumSize)
        guard response.status == 200,
            let object = try JSONValue(parsing: response.body, limits: limits).objectValue
        else { throw OAuthCoreError(.keysUnavailable, "the answer is not a set of keys") }
        return try JWKSet(parsing: object)
    }

    /// Whether less than a duration has passed since a time.
    ///
    /// A time in the future, left by a wrong clock, does not count.
    private static func isPast(_ time: Timestamp, by duration: Duration, at now: Timestamp) -> Bool {
        time <= now && now - time < duration
    }

    private static func mayContain(_ keyID: String?, in keys: JWKSet) -> Bool {
        guard let keyID else { return true }
        return keys.keys.contains { $0.keyID?.isIdentical(to: keyID) ?? false }
    }
}
