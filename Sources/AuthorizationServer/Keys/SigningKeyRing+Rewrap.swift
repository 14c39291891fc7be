// SPDX-License-Identifier: Apache-2.0

import JOSE
import ServerStorage
public import SigningKeys

extension SigningKeyRing {
    /// Encrypts every key with another wrapper, in one step.
    ///
    /// Tokens and published keys do not change.
    ///
    /// A key in a device is not changed, nor is one that already uses the new encryption, so an interrupted run can be
    /// repeated. A running server continues with the keys that it has opened, and encrypts new ones as before: restart
    /// it with the new encryption at once.
    ///
    /// - Parameter other: Encrypts the keys from now on.
    /// - Returns: How many keys now use that encryption, not counting those in a device.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/busy`` if keys were made or revoked in
    ///   the meantime, ``AuthorizationServerError/Code/storageFailed`` if a key opens with neither encryption; then
    ///   nothing has changed.
    public func rewrap(with other: any KeyWrapper) async throws(AuthorizationServerError) -> Int {
        let present = try await keys().filter { $0.wrappedKey != .forgotten }
        var rewrapped: [RewrappedKey] = []
        for key in present {
            let new = try await rewrap(key, with: other)
            rewrapped.append(RewrappedKey(keyID: key.keyID, old: key.wrappedKey, new: new))
        }
        let keys = rewrapped
        guard try await stored({ try await $0.rewrapSigningKeys(keys) }) else {
            throw AuthorizationServerError(
                .busy,
                "keys were made or revoked meanwhile, and nothing was changed: try again"
            )
        }
        let count = present.count { SigningKeyReference($0.wrappedKey) == nil }
        record(.signingKeysResealed, detail: "\(count)")
        return count
    }

    private func rewrap(
        _ stored: StoredSigningKey,
        with other: any KeyWrapper
    ) async throws(AuthorizationServerError) -> WrappedKey {
        do throws(AuthorizationServerError) {
            guard let key = try await open(stored) as? SoftwareSigningKey else { return stored.wrappedKey }
            return try Self.seal(key, with: other)
        } catch {
            guard let alias = try? KeyAlias(stored.keyID), (try? other.open(stored.wrappedKey, as: alias)) != nil else {
                throw error
            }
            return stored.wrappedKey
        }
    }
}
