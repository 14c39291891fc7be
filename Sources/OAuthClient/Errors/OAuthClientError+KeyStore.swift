// SPDX-License-Identifier: Apache-2.0

import DPoP
public import SigningKeys

extension OAuthClientError {
    /// What the store of keys, or a key of it, said; `nil` when the error is about something else.
    public var keyStoreError: KeyStoreError? {
        underlying as? KeyStoreError ?? (underlying as? DPoPError)?.underlying as? KeyStoreError
    }
}
