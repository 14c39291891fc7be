// SPDX-License-Identifier: Apache-2.0

import StrictJSON

extension AuthorizationRequest {
    /// What the user signs in for.
    public enum Purpose: String, Sendable, Hashable {
        /// To answer the request of a client.
        case client
        /// To enter the code that a device shows (RFC 8628 section 3.3).
        ///
        /// The request has no client yet: ``AuthorizationRequest/clientID`` is empty, and no code is issued for it.
        case userCode = "user_code"
    }
}

extension AuthorizationRequest.Purpose {
    init(stored object: JSONObject) throws(StorageError) {
        guard let value = object["purpose"] else {
            self = .client
            return
        }
        guard let purpose = value.stringValue.flatMap(Self.init(rawValue:)) else {
            throw StorageError(.corrupted, "a stored request cannot be read: its purpose is unknown")
        }
        self = purpose
    }
}
