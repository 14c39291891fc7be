// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
public import OAuthSystem
import StrictJSON

/// The keys that an issuer publishes, fetched when they are needed and kept for a while (RFC 7517 section 5).
///
/// A token with an unknown `kid` makes it look again, since issuers change keys, but not more often than every
/// `minimumInterval`: anybody can invent a `kid`. When the issuer does not answer, the keys at hand stay in use for
/// `maximumStaleness`.
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
    private var fetched: Fetched?
    private var lastAttempt: Timestamp?
    private var running: Task<Fetched, any Error>?

    private static let maximumSize = 262_144

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - uri: `jwks_uri` of the issuer, from its metadata.
    ///   - transport: Who fetches.
    ///   - clock: The time.
    ///   - maximumAge: After this long, keys are fetched again.
    ///   - minimumInterval: Keys are not fetched more often than this.
    ///   - maximumStaleness: After this long without an answer, the keys at hand are not used any more.
    public init(
        uri: URI,
        transport: any HTTPTransport,
        clock: any WallClock = SystemWallClock(),
        maximumAge: Duration = .seconds(300),
        minimumInterval: Duration = .seconds(10),
        maximumStaleness: Duration = .seconds(3600)
    ) {
        self.uri = uri
        self.transport = transport
        self.clock = clock
        self.maximumAge = maximumAge
        self.minimumInterval = minimumInterval
        self.maximumStaleness = maximumStaleness
    }

    /// The keys of the issuer, fetched when those at hand are old or do not contain the one that is needed.
    ///
    /// - Parameter keyID: `kid` of the token to be checked.
    /// - Returns: The keys.
    /// - Throws: ``OAuthCoreError`` – ``OAuthCoreError/Code/keysUnavailable``.
    public func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet {
        let now = clock.now()
        if let fetched, Self.isPast(fetched.time, by: maximumAge, at: now), Self.mayContain(keyID, in: fetched.keys) {
            return fetched.keys
        }
        if running == nil, let lastAttempt, Self.isPast(lastAttempt, by: minimumInterval, at: now) {
            return try atHand(now)
        }
        do {
            let fetched = try await fetchOnce(at: now)
            self.fetched = fetched
            return fetched.keys
        } catch {
            return try atHand(now)
        }
    }

    private func atHand(_ now: Timestamp) throws(OAuthCoreError) -> JWKSet {
        guard let fetched, now - fetched.time < maximumStaleness else {
            throw OAuthCoreError(.keysUnavailable, "the keys of the issuer cannot be fetched at this moment")
        }
        return fetched.keys
    }

    /// Any number of callers wait for one request.
    private func fetchOnce(at now: Timestamp) async throws -> Fetched {
        if let running { return try await running.value }
        lastAttempt = now
        let task = Task { [uri, transport] in
            Fetched(keys: try await Self.fetch(uri, transport), time: now)
        }
        running = task
        defer { running = nil }
        return try await task.value
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

    /// Whether a time is past by less than a duration; one in the future, left over from a clock that was wrong, is not.
    private static func isPast(_ time: Timestamp, by duration: Duration, at now: Timestamp) -> Bool {
        time <= now && now - time < duration
    }

    private static func mayContain(_ keyID: String?, in keys: JWKSet) -> Bool {
        guard let keyID else { return true }
        return keys.keys.contains { $0.keyID?.isIdentical(to: keyID) ?? false }
    }
}
