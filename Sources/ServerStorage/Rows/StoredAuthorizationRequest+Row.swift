// SPDX-License-Identifier: Apache-2.0

import StrictJSON

extension StoredAuthorizationRequest {
    /// Its values, in the order in which they are inserted.
    package var storedValues: [StoredValue] {
        [.hash(referenceHash), .json(.object(request.json)), .time(expiresAt), .optional(browserHash)]
    }

    /// Reads a request: the columns as they are inserted, without the hash.
    ///
    /// - Parameters:
    ///   - referenceHash: The hash of the `request_uri` reference.
    ///   - row: A row of `authorization_requests`.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(_ referenceHash: SecretHash, row: some StoredRow) throws(StorageError) {
        self.init(
            referenceHash: referenceHash,
            request: try row.authorizationRequest(0),
            expiresAt: try row.time(1),
            browserHash: try row.optionalHash(2)
        )
    }
}
