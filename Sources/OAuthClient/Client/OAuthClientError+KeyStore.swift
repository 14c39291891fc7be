// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
public import SigningKeys

extension OAuthClientError {
    /// What the store of keys, or a key of it, said; `nil` when the error is about something else.
    public var keyStoreError: KeyStoreError? { KeyStoreError(causing: self) }
}

extension KeyStoreError {
    /// The error under one of this module or of those that make proofs.
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
