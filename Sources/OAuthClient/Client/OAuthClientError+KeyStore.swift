// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
public import SigningKeys

extension OAuthClientError {
    /// The error of the key store, or of one of its keys; `nil` if this error has another cause.
    public var keyStoreError: KeyStoreError? { KeyStoreError(causing: self) }
}

extension KeyStoreError {
    /// Finds the key store error underneath an error of this module or of the modules that make proofs.
    init?(causing error: any Error) {
        let underlying: (any Error)?
        switch error {
        case let error as KeyStoreError:
            self = error
            return
        case let error as OAuthClientError: underlying = error.underlying
        case let error as DPoPError: underlying = error.underlying
        case let error as JOSEError: underlying = error.underlying
        default: return nil
        }
        guard let underlying else { return nil }
        self.init(causing: underlying)
    }
}
