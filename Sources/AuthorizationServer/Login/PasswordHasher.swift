// SPDX-License-Identifier: Apache-2.0

import Dispatch
import OAuthCrypto
public import OAuthSystem
public import ServerStorage
import StrictJSON
import Synchronization

/// Hashes and checks passwords on threads of its own, at most one per core, with a bounded queue.
///
/// A login costs 100 ms of a core and 16 MiB. So that a flood of logins does not stop the rest of the server, requests
/// beyond the queue are rejected at once.
public final class PasswordHasher: Sendable {
    private struct Load {
        var jobs: [Int]
    }

    private let queues: [DispatchQueue]
    private let load: Mutex<Load>
    private let entropy: any Entropy
    private let maximumWaiting: Int
    private let scheme: PasswordScheme

    /// Makes a hasher.
    ///
    /// - Parameters:
    ///   - threads: How many passwords are hashed concurrently: the number of cores.
    ///   - maximumWaiting: How many requests may wait in addition.
    ///   - entropy: The source of salts.
    public convenience init(threads: Int = 2, maximumWaiting: Int = 16, entropy: any Entropy = SystemEntropy()) {
        self.init(threads: threads, maximumWaiting: maximumWaiting, scheme: .scrypt, entropy: entropy)
    }

    /// A hasher for tests, whose hashes are cheap and protect nothing.
    ///
    /// - Parameters:
    ///   - entropy: The source of salts.
    ///   - derived: Called each time a password is hashed.
    /// - Returns: The hasher. Its hashes do not work with ``init(threads:maximumWaiting:entropy:)``, and vice versa.
    package static func unprotected(
        entropy: any Entropy,
        derived: @escaping @Sendable () -> Void = {}
    ) -> PasswordHasher {
        PasswordHasher(threads: 2, maximumWaiting: 1024, scheme: .unprotected(derived), entropy: entropy)
    }

    private init(threads: Int, maximumWaiting: Int, scheme: PasswordScheme, entropy: any Entropy) {
        queues = (0..<max(1, threads)).map { DispatchQueue(label: "keybound.password.\($0)") }
        load = Mutex(Load(jobs: Array(repeating: 0, count: max(1, threads))))
        self.entropy = entropy
        self.maximumWaiting = maximumWaiting
        self.scheme = scheme
    }

    /// Hashes a new password.
    ///
    /// - Parameter password: The password, 1 to 1024 bytes of UTF-8.
    /// - Returns: The hash.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/busy``,
    ///   ``AuthorizationServerError/Code/passwordHashingFailed``.
    public func hash(_ password: String) async throws(AuthorizationServerError) -> PasswordHash {
        try await run { [entropy, scheme] () throws(CryptoError) in
            try PasswordHash(of: password, by: scheme, entropy: entropy)
        }
    }

    /// Checks a password; takes as long for an account that does not exist.
    ///
    /// - Parameters:
    ///   - password: The password as entered.
    ///   - hash: The hash of the account; `nil` if there is no such account.
    /// - Returns: Whether the password is right.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/busy``,
    ///   ``AuthorizationServerError/Code/passwordHashingFailed``.
    public func check(_ password: String, against hash: PasswordHash?) async throws(AuthorizationServerError) -> Bool {
        try await run { [scheme] () throws(CryptoError) in
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
        _ job: @escaping @Sendable () throws(CryptoError) -> Value
    ) async throws(AuthorizationServerError) -> Value {
        guard let queue = enter() else {
            throw AuthorizationServerError(.busy, "too many people sign in at this moment; try again in a few seconds")
        }
        let result: Result<Value, CryptoError> = await withCheckedContinuation { continuation in
            queues[queue].async {
                let result = Result(catching: job)
                self.leave(queue)
                continuation.resume(returning: result)
            }
        }
        do {
            return try result.get()
        } catch {
            throw AuthorizationServerError(.passwordHashingFailed, "a password was not hashed", underlying: error)
        }
    }

    /// The index of the least busy queue; `nil` if all are full.
    private func enter() -> Int? {
        load.withLock { load in
            guard load.jobs.reduce(0, +) < load.jobs.count + maximumWaiting,
                let queue = load.jobs.indices.min(by: { load.jobs[$0] < load.jobs[$1] })
            else { return nil }
            load.jobs[queue] += 1
            return queue
        }
    }

    private func leave(_ queue: Int) {
        load.withLock { $0.jobs[queue] -= 1 }
    }
}
