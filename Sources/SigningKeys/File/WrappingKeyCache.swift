// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import OAuthCrypto
import Synchronization

/// The wrapping keys that a store has derived, so that scrypt runs once per store and not once per key.
final class WrappingKeyCache: Sendable {
    /// The files of a store share a salt unless they come from several directories.
    private static let maximumCount = 16

    let secret: KeyFileSecret
    private let parameters: ScryptParameters
    private let keys = Mutex<[KeyDerivation: WrappingKey]>([:])

    init(secret: KeyFileSecret, parameters: ScryptParameters) {
        self.secret = secret
        self.parameters = parameters
    }

    func key(for derivation: KeyDerivation) throws(KeyStoreError) -> WrappingKey {
        guard derivation.kind == secret.kind else {
            throw KeyStoreError(
                .wrongPassphrase,
                derivation.kind == .passphrase
                    ? "the key file was made with a passphrase: give that, not a credential"
                    : "the key file was made with a credential: give that, not a passphrase"
            )
        }
        if let key = keys.withLock({ $0[derivation] }) { return key }
        let key = try derivation.wrappingKey(from: secret)
        keys.withLock { keys in
            if keys.count >= Self.maximumCount { keys.removeAll() }
            keys[derivation] = key
        }
        return key
    }

    func newDerivation() -> KeyDerivation {
        KeyDerivation(for: secret.kind, parameters: parameters)
    }
}
#endif
