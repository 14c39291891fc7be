// SPDX-License-Identifier: Apache-2.0

import JOSE
import SigningKeys

/// The keys of an account whose session has ended.
struct DeletedKeys: Sendable {
    /// One for each type of key.
    let aliases: [KeyAlias]
    let keyStore: any KeyStore
    /// The key of the session; `nil` if there is none, and all keys are deleted.
    let thumbprint: JWKThumbprint?

    /// Deletes every key that it can, and throws the first error; unless a new sign-in has made others.
    func delete() async throws(KeyStoreError) {
        guard await !hasOnlyOtherKeys() else { return }
        var failure: KeyStoreError?
        for alias in aliases {
            do throws(KeyStoreError) {
                try await keyStore.delete(alias)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Whether the keys of the account are those of another sign-in.
    ///
    /// A key that cannot be read may be the one.
    private func hasOnlyOtherKeys() async -> Bool {
        guard let thumbprint else { return false }
        var hasOther = false
        for alias in aliases {
            do {
                guard let key = try await keyStore.load(alias) else { continue }
                guard key.publicKey.thumbprint != thumbprint else { return false }
                hasOther = true
            } catch {
                return false
            }
        }
        return hasOther
    }
}
