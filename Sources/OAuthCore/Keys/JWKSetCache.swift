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
/// If the issuer does not respond, the cached keys stay in use for `maximumStaleness`. A caller who can use them waits for a
/// response no longer than `maximumWait`; the fetch goes on, and callers who come later do not wait for it.
public actor JWKSetCache: JWKSetSource {
    private struct Fetched {
        let keys: JWKSet
        let time: Timestamp
    }

    /// The fetch that is under way.
    private struct Running {
        let number: Int
        /// Its result: `nil` if it failed.
        let task: Task<JWKSet?, Never>
        let timer: Task<Void, Never>
        /// Whether it has taken longer than ``maximumWait``.
        var isLate: Bool
    }

    /// What a caller learns who waited for a fetch.
    private enum Outcome {
        case fetched(JWKSet)
        case failed
        /// It goes on, and the caller has waited long enough.
        case late
    }

    private let uri: URI
    private let transport: any HTTPTransport
    private let clock: any WallClock
    private let maximumAge: Duration
    private let minimumInterval: Duration
    private let maximumStaleness: Duration
    private let maximumWait: Duration
    private let attemptsAtOnce: Int
    /// What was fetched last.
    ///
    /// Callers read it on their own thread: a request that waited for the actor would switch threads, which costs more than
    /// most of its checks.
    private let fetched = Mutex<Fetched?>(nil)
    private var lastAttempt: Timestamp?
    /// How many fetches in a row have failed.
    private var failures = 0
    private var running: Running?
    private var fetches = 0
    /// Callers who wait until the running fetch has ended, or is late.
    private var waiting: [CheckedContinuation<Outcome, Never>] = []
    /// How many callers wait until the running fetch has ended, however late; for tests.
    private(set) var patientCount = 0

    private static let maximumSize = 262_144

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - uri: `jwks_uri` of the issuer, from its metadata.
    ///   - transport: Sends the requests.
    ///   - clock: The time.
    ///   - maximumAge: The age at which keys are fetched again.
    ///   - minimumInterval: The minimum time between two fetches.
    ///   - maximumStaleness: How long cached keys may be used if the issuer does not respond. Keys that were just fetched
    ///     are used even with 0.
    ///   - maximumWait: How long callers wait for a fetch while there are cached keys that may be used. After that, a token
    ///     with one of these keys is verified with it, and for one with another `kid` there are no keys until the fetch
    ///     has ended. Well below the time after which a proxy gives up.
    ///   - attemptsAtOnce: How many fetches may follow each other without `minimumInterval` as long as they fail. More than
    ///     1 is for clients, whose tokens come from the issuer and not from strangers.
    public init(
        uri: URI,
        transport: any HTTPTransport,
        clock: any WallClock = SystemWallClock(),
        maximumAge: Duration = .seconds(300),
        minimumInterval: Duration = .seconds(10),
        maximumStaleness: Duration = .seconds(3600),
        maximumWait: Duration = .seconds(2),
        attemptsAtOnce: Int = 1
    ) {
        self.attemptsAtOnce = max(attemptsAtOnce, 1)
        self.uri = uri
        self.transport = transport
        self.clock = clock
        self.maximumAge = maximumAge
        self.minimumInterval = minimumInterval
        self.maximumStaleness = maximumStaleness
        self.maximumWait = maximumWait
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
        if running == nil {
            let mayRepeat = (1..<attemptsAtOnce).contains(failures)
            if !mayRepeat, let lastAttempt, Self.isPast(lastAttempt, by: minimumInterval, at: now) {
                // What that fetch brought is as new as keys can be.
                if failures == 0, let fetched = fetched.withLock(\.self) { return fetched.keys }
                return try atHand(now)
            }
            startFetch(at: now)
        }
        switch await runningFetch(patiently: usableKeys(at: now) == nil) {
        // The staleness is counted from the start of the fetch, and limits only keys that could not be fetched again.
        case .fetched(let keys): return keys
        case .failed: return try atHand(now)
        case .late:
            let keys = try atHand(now)
            // The running fetch may still bring this key, so it is not known yet that the token is invalid.
            guard Self.mayContain(keyID, in: keys) else { throw Self.unavailable }
            return keys
        }
    }

    private func atHand(_ now: Timestamp) throws(OAuthCoreError) -> JWKSet {
        guard let keys = usableKeys(at: now) else { throw Self.unavailable }
        return keys
    }

    /// The cached keys, if they are not too old to be used while the issuer does not respond.
    private func usableKeys(at now: Timestamp) -> JWKSet? {
        guard let fetched = fetched.withLock(\.self), now - fetched.time < maximumStaleness else { return nil }
        return fetched.keys
    }

    /// Waits for the running fetch: until it has ended, or, unless patiently, until it is late.
    private func runningFetch(patiently: Bool) async -> Outcome {
        guard let running else { return .failed }
        if patiently {
            patientCount += 1
            defer { patientCount -= 1 }
            return Self.outcome(await running.task.value)
        }
        if running.isLate { return .late }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private static func outcome(_ keys: JWKSet?) -> Outcome {
        guard let keys else { return .failed }
        return .fetched(keys)
    }

    /// Starts the one fetch that concurrent callers share.
    private func startFetch(at now: Timestamp) {
        lastAttempt = now
        fetches += 1
        let number = fetches
        running = Running(
            number: number,
            task: Task {
                let keys = try? await Self.fetch(uri, transport)
                fetchEnded(keys.map { Fetched(keys: $0, time: now) })
                return keys
            },
            timer: Task {
                try? await Task.sleep(for: maximumWait)
                fetchIsLate(number)
            },
            isLate: maximumWait <= .zero
        )
    }

    private func fetchEnded(_ fetched: Fetched?) {
        if let fetched {
            self.fetched.withLock { $0 = fetched }
            failures = 0
        } else {
            failures = failures % attemptsAtOnce + 1
        }
        running?.timer.cancel()
        running = nil
        resumeWaiting(Self.outcome(fetched?.keys))
    }

    private func fetchIsLate(_ number: Int) {
        // A timer whose fetch has ended says nothing about the next one.
        guard running?.number == number else { return }
        running?.isLate = true
        resumeWaiting(.late)
    }

    private func resumeWaiting(_ outcome: Outcome) {
        for continuation in waiting { continuation.resume(returning: outcome) }
        waiting = []
    }

    private static var unavailable: OAuthCoreError {
        OAuthCoreError(.keysUnavailable, "the keys of the issuer cannot be fetched at this moment")
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
