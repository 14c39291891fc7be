// SPDX-License-Identifier: Apache-2.0

public import DPoP

/// Where the secrets of nonces are kept when several processes share them.
public protocol NonceSecretStore: Sendable {
    /// The secrets in use: the newest first, at most two.
    ///
    /// - Parameter proposed: The secret that is stored when there is none yet, in the same transaction.
    /// - Returns: One or two secrets.
    /// - Throws: An error of the driver.
    func nonceSecrets(orStore proposed: DPoPNonceSecret) async throws -> [DPoPNonceSecret]
}
