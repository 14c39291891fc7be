// SPDX-License-Identifier: Apache-2.0

import JOSE
import ServerStorage
public import SigningKeys

extension SigningKeyRing {
    /// Encrypts every key otherwise, in one step; tokens and what is published stay as they are.
    ///
    /// A key in a device stays where it is, and so does one that opens with the new encryption already, so what was interrupted can be done again. A server that
    /// runs goes on with the keys that it has opened, and makes new ones as before: start it with the new encryption at once.
    ///
    /// - Parameter other: What the keys are to be encrypted with from now on.
    /// - Returns: How many keys are encrypted that way now; those in a device are not among them.
    /// - Throws: ``AuthorizationServerError`` – ``AuthorizationServerError/Code/busy`` when keys were made or revoked meanwhile,
    ///   ``AuthorizationServerError/Code/storageFailed`` when a key opens in neither way; nothing has changed then.
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
        return present.count { SigningKeyReference($0.wrappedKey) == nil }
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
