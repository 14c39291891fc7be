// SPDX-License-Identifier: Apache-2.0

import SigningKeys

/// The code with which a call of a key store fails; `nil` if it does not.
func failure(_ body: () async throws -> Void) async -> KeyStoreError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? KeyStoreError)?.code
    }
}
