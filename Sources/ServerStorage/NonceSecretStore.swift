// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem

/// A store for the secrets that several processes share: those of nonces, and the one that assigns users to shards.
public protocol NonceSecretStore: Sendable {
    /// The current secrets of nonces and the replay memory; first adds what is missing, and a new secret if the newest
    /// is old.
    ///
    /// This is one step, so that all processes agree. Again: the newest secret is the proposed one.
    ///
    /// - Parameters:
    ///   - age: The age at which a secret gets a successor. It is longer than nonces are valid.
    ///   - proposed: The secret to store if there is none, or the newest is old. As a successor it gets the next
    ///     number.
    ///   - epoch: The replay memory to start if there is none.
    ///   - now: The time.
    /// - Returns: One or two secrets, the newest first; older ones are deleted. With the current replay memory.
    /// - Throws: An error of the driver.
    func nonceSecrets(
        replacingAfter age: Duration,
        with proposed: DPoPNonceSecret,
        starting epoch: ReplayEpoch,
        at now: Timestamp
    ) async throws -> DPoPNonceSecrets

    /// The secret that assigns users to shards; first stores the proposed one if there is none.
    ///
    /// It never changes: identifiers that were made with it stay in use. Again: the same secret.
    ///
    /// - Parameter proposed: The secret to store if there is none: 32 random bytes.
    /// - Returns: 32 bytes.
    /// - Throws: An error of the driver.
    func shardSecret(storing proposed: [UInt8]) async throws -> [UInt8]
}
