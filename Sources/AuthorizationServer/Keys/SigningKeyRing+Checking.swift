// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage
import SigningKeys
import Synchronization

extension SigningKeyRing {
    /// Why a key in a state is missing from its location, or cannot be reached there; `nil` if all are available.
    func problem(ofKeysThatAre state: SigningKeyState) async -> AuthorizationServerError? {
        // Failures of the storage were already reported when the keys were refreshed.
        guard let stored = try? await keys() else { return nil }
        let now = clock.now()
        for algorithm in algorithms {
            let entries = SigningKeySchedule(stored, of: algorithm, policy, at: now).entries
            for entry in entries where entry.state == state {
                if let problem = await problem(of: entry.key) { return problem }
            }
        }
        return nil
    }

    private func problem(of key: StoredSigningKey) async -> AuthorizationServerError? {
        do throws(KeyStoreError) {
            try await place.check(key.wrappedKey, keyID: key.keyID)
            return nil
        } catch {
            let reason = "the key \(key.keyID), which signs tokens now or next, cannot be used"
            return AuthorizationServerError(.storageFailed, reason, underlying: error)
        }
    }

    /// The keys that may be published.
    ///
    /// If new keys cannot be opened, revoked keys must still be removed.
    func publishedKeyIDs() async throws(AuthorizationServerError) -> Set<String> {
        let stored = try await keys()
        let now = clock.now()
        return Set(
            algorithms.flatMap { SigningKeySchedule(stored, of: $0, policy, at: now).published.map(\.keyID) }
        )
    }

    /// Why an unneeded key is still in its device; `nil` if nothing failed since the last call.
    func takeUndeleted() -> AuthorizationServerError? {
        undeleted.withLock { undeleted in
            defer { undeleted = nil }
            return undeleted
        }
    }
}
