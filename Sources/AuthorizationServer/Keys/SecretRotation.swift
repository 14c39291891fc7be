// SPDX-License-Identifier: Apache-2.0

import DPoP
import OAuthSystem
import ServerStorage

/// Rotates the secrets of a running server: signing keys, and the secrets of DPoP nonces.
struct SecretRotation: Sendable {
    /// How long a secret is used for new nonces.
    ///
    /// Much longer than nonces are valid, so keeping one previous secret suffices.
    static let nonceSecretAge: Duration = .seconds(86_400)
    /// Longer than any secret is used: a process whose clock is wrong replaces no secret.
    private static let never: Duration = .seconds(1_000 * 365 * 86_400)

    let ring: SigningKeyRing
    let nonceSecrets: any NonceSecretStore
    let clock: any WallClock
    let entropy: any Entropy

    func keys() async throws(AuthorizationServerError) -> SigningKeySnapshot {
        try await ring.refresh()
    }

    func currentNonceSecrets() async throws(AuthorizationServerError) -> DPoPNonceSecrets {
        let age = await ring.mayRotate() ? Self.nonceSecretAge : Self.never
        do {
            let now = clock.now()
            return try await nonceSecrets.nonceSecrets(
                replacingAfter: age,
                with: DPoPNonceSecret(entropy: entropy),
                starting: ReplayEpoch(startingAt: now, entropy: entropy),
                at: now
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
