// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem

/// A store for the nonce secrets that several processes share.
public protocol NonceSecretStore: Sendable {
    /// The current secrets; first adds a new one if the newest is old.
    ///
    /// This is one step, so that all processes agree.
    ///
    /// - Parameters:
    ///   - age: The age at which a secret gets a successor. It is longer than nonces are valid.
    ///   - proposed: The secret to store if there is none, or the newest is old. As a successor it gets the next
    ///     number.
    ///   - now: The time.
    /// - Returns: One or two secrets, the newest first; older ones are deleted.
    /// - Throws: An error of the driver.
    func nonceSecrets(
        replacingAfter age: Duration,
        with proposed: DPoPNonceSecret,
        at now: Timestamp
    ) async throws -> [DPoPNonceSecret]
}
