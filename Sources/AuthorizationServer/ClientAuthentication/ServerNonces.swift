// SPDX-License-Identifier: Apache-2.0

import DPoP
import ServerStorage
import Synchronization

/// The DPoP nonces of the server as authorization server and as resource server, derived from the same secrets.
final class ServerNonces: Sendable {
    let authorizationServer: DPoPNonceIssuer
    /// For the userinfo endpoint.
    let resourceServer: DPoPNonceIssuer

    private let current: Mutex<DPoPNonceSecrets>

    init(_ secrets: DPoPNonceSecrets) throws(AuthorizationServerError) {
        guard !secrets.secrets.isEmpty, secrets.secrets.allSatisfy(\.isStrong) else {
            throw AuthorizationServerError(
                .invalidConfiguration,
                "nonces are made with secrets of 32 bytes, one at least"
            )
        }
        authorizationServer = DPoPNonceIssuer(role: .authorizationServer, secrets: secrets)
        resourceServer = DPoPNonceIssuer(role: .resourceServer, secrets: secrets)
        current = Mutex(secrets)
    }

    func use(_ secrets: DPoPNonceSecrets) {
        current.withLock { $0 = secrets }
        authorizationServer.use(secrets)
        resourceServer.use(secrets)
    }

    /// Asks the storage again when a proof has a nonce that another server may have made.
    func follow(_ rotation: SecretRotation, _ report: @escaping @Sendable (String) -> Void) {
        let look: @Sendable () async -> Void = { [weak self] in
            do throws(AuthorizationServerError) {
                self?.use(try await rotation.currentNonceSecrets())
            } catch {
                report("the nonce secrets could not be read: \(error)")
            }
        }
        authorizationServer.onUnknownNonce(look)
        resourceServer.onUnknownNonce(look)
    }

    /// Makes nonces for a new replay memory from now on.
    func start(_ epoch: ReplayEpoch) {
        var secrets = current.withLock(\.self)
        secrets.epoch = epoch
        use(secrets)
    }
}
