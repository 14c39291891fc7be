// SPDX-License-Identifier: Apache-2.0

public import DPoP
public import OAuthSystem

/// Where the secrets of nonces are kept when several processes share them.
public protocol NonceSecretStore: Sendable {
    /// The secrets in use, after the newest was followed by another when it is old; in one step, so that all processes
    /// agree.
    ///
    /// - Parameters:
    ///   - age: A secret older than this gets a successor. It is longer than nonces are valid.
    ///   - proposed: The secret that is stored when there is none, or the newest is old. As a successor it gets the next
    ///     number.
    ///   - now: The time.
    /// - Returns: One or two secrets, the newest first; older ones are forgotten.
    /// - Throws: An error of the driver.
    func nonceSecrets(
        replacingAfter age: Duration,
        with proposed: DPoPNonceSecret,
        at now: Timestamp
    ) async throws -> [DPoPNonceSecret]
}
