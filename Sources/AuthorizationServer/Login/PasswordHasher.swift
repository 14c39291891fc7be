// SPDX-License-Identifier: Apache-2.0

import Dispatch
import OAuthCrypto
public import OAuthSystem
public import ServerStorage
import StrictJSON
import Synchronization

/// Hashes and checks passwords on threads of its own, with a bounded queue in which sources take turns.
///
/// A login costs 100 ms of a core and 16 MiB, so a client that sends many keeps the cores busy. A source that has four
/// passwords waiting is rejected; 512 of all sources may wait, 128 of these places are for known users only, and nobody
/// waits longer than 10 seconds.
public final class PasswordHasher: Sendable {
    /// What happens to a password that waited.
    private enum Turn {
        case hash
        case tooLate
    }

    private typealias Job = @Sendable (Turn) -> Void

    private let threads = DispatchQueue(label: "keybound.passwords", attributes: .concurrent)
    private let queue: Mutex<PasswordQueue<Job>>
    private let entropy: any Entropy
    private let scheme: PasswordScheme
    private let uptime: @Sendable () -> ContinuousClock.Instant

    /// How many threads there are by default: half of the processors, at least 2.
    ///
    /// The others stay free for requests that need no password.
    public static var defaultThreads: Int { max(2, SystemProcessors.count / 2) }

    /// Makes a hasher.
    ///
    /// - Parameters:
    ///   - threads: How many passwords are hashed concurrently, at least 1; each takes 16 MiB.
    ///   - entropy: The source of salts.
    public convenience init(threads: Int = PasswordHasher.defaultThreads, entropy: any Entropy = SystemEntropy()) {
        self.init(threads: threads, scheme: .scrypt, entropy: entropy, uptime: { .now })
    }

    /// A hasher for tests, whose hashes are cheap and protect nothing.
    ///
    /// - Parameters:
    ///   - entropy: The source of salts.
    ///   - threads: How many passwords are hashed concurrently.
    ///   - uptime: The time by which passwords wait.
    ///   - derived: Called each time a password is hashed.
    /// - Returns: The hasher. Its hashes do not work with ``init(threads:entropy:)``, and vice versa.
    package static func unprotected(
        entropy: any Entropy,
        threads: Int = 2,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        derived: @escaping @Sendable () -> Void = {}
    ) -> PasswordHasher {
        PasswordHasher(threads: threads, scheme: .unprotected(derived), entropy: entropy, uptime: uptime)
    }

    private init(
        threads: Int,
        scheme: PasswordScheme,
        entropy: any Entropy,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        queue = Mutex(PasswordQueue(threads: max(1, threads)))
        self.entropy = entropy
        self.scheme = scheme
        self.uptime = uptime
    }

    /// How many passwords wait for a thread.
    public var waitingCount: Int { queue.withLock { $0.count } }

    /// Hashes a new password.
    ///
    /// - Parameter password: The password, 1 to 1024 bytes of UTF-8.
    /// - Returns: The hash.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/busy``,
    ///   ``AuthorizationServerError/Code/tooManyAtOnce``, ``AuthorizationServerError/Code/passwordHashingFailed``.
    public func hash(_ password: String) async throws(AuthorizationServerError) -> PasswordHash {
        try await run(for: .unknown) { [entropy, scheme] () throws(CryptoError) in
            try PasswordHash(of: password, by: scheme, entropy: entropy)
        }
    }

    /// Checks a password; takes as long for an account that does not exist.
    ///
    /// - Parameters:
    ///   - password: The password as entered.
    ///   - hash: The hash of the account; `nil` if there is no such account.
    ///   - source: Who waits.
    /// - Returns: Whether the password is right.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/busy`` if all places are taken or the
    ///   wait was too long, ``AuthorizationServerError/Code/tooManyAtOnce`` if those of the source are taken,
    ///   ``AuthorizationServerError/Code/passwordHashingFailed``.
    public func check(
        _ password: String,
        against hash: PasswordHash?,
        from source: PasswordSource = .unknown
    ) async throws(AuthorizationServerError) -> Bool {
        try await run(for: source) { [scheme] () throws(CryptoError) in
            try (hash ?? Self.dummy(of: scheme)).matches(password, by: scheme) && hash != nil
        }
    }

    /// A hash that matches no password: its digest is all zeros.
    private static func dummy(of scheme: PasswordScheme) -> PasswordHash {
        let (salt, hash) = (PasswordScheme.saltLength, PasswordScheme.hashLength)
        let parts = [salt, hash].map { Base64URL.encode([UInt8](repeating: 0, count: $0)) }
        return PasswordHash(stored: scheme.prefix + parts.joined(separator: "$"))
    }

    private func run<Value: Sendable>(
        for source: PasswordSource,
        _ job: @escaping @Sendable () throws(CryptoError) -> Value
    ) async throws(AuthorizationServerError) -> Value {
        let result: Result<Value, AuthorizationServerError> = await withCheckedContinuation { continuation in
            let refusal = add(from: source) { turn in
                switch turn {
                case .hash: continuation.resume(returning: Result(catching: job).mapError(Self.failed))
                case .tooLate: continuation.resume(returning: .failure(Self.busy))
                }
            }
            if let refusal { continuation.resume(returning: .failure(refusal)) } else { runWaiting() }
        }
        return try result.get()
    }

    /// Queues a job, unless there is no place for it.
    private func add(from source: PasswordSource, _ job: @escaping Job) -> AuthorizationServerError? {
        Self.refusal(for: queue.withLock { $0.add(job, from: source, at: uptime()) })
    }

    /// Why a password of a source would be refused now; `nil` if there is a place for it.
    func refusal(of source: PasswordSource) -> AuthorizationServerError? {
        Self.refusal(for: queue.withLock { $0.admission(of: source) })
    }

    private static func refusal(for admission: PasswordQueue<Job>.Admission) -> AuthorizationServerError? {
        switch admission {
        case .waiting: nil
        case .sourceIsFull:
            AuthorizationServerError(
                .tooManyAtOnce,
                "too many passwords from one place at this moment; try again in a second"
            )
        case .isFull: busy
        }
    }

    /// Gives free threads the next passwords.
    private func runWaiting() {
        let (expired, next) = queue.withLock { queue in
            let expired = queue.expire(at: uptime())
            var next: [(job: Job, source: PasswordSource)] = []
            while let job = queue.next() { next.append(job) }
            return (expired, next)
        }
        for job in expired { job(.tooLate) }
        for (job, source) in next {
            threads.async { [self] in
                job(.hash)
                queue.withLock { $0.finished(source) }
                runWaiting()
            }
        }
    }

    private static var busy: AuthorizationServerError {
        AuthorizationServerError(.busy, "too many people sign in at this moment; try again in a few seconds")
    }

    @Sendable private static func failed(_ error: CryptoError) -> AuthorizationServerError {
        AuthorizationServerError(.passwordHashingFailed, "a password was not hashed", underlying: error)
    }
}
