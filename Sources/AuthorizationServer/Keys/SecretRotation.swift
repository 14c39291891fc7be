// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthSystem
import ServerStorage

/// What a running server replaces from time to time: the keys that sign, and the secrets of nonces.
struct SecretRotation: Sendable {
    /// How long a secret makes nonces.
    ///
    /// It is far longer than nonces are valid, so that the one before is enough.
    static let nonceSecretAge: Duration = .seconds(86_400)

    let ring: SigningKeyRing
    let nonceSecrets: any NonceSecretStore
    let clock: any WallClock
    let entropy: any Entropy

    func keys() async throws(AuthorizationServerError) -> SigningKeySnapshot {
        try await ring.refresh()
    }

    func currentNonceSecrets() async throws(AuthorizationServerError) -> [DPoPNonceSecret] {
        do {
            return try await nonceSecrets.nonceSecrets(
                replacingAfter: Self.nonceSecretAge,
                with: DPoPNonceSecret(entropy: entropy),
                at: clock.now()
            )
        } catch {
            throw AuthorizationServerError(
                .storageFailed,
                "the secrets of nonces cannot be read or written",
                underlying: error
            )
        }
    }
}
