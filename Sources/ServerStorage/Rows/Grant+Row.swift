// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import StrictJSON

extension Grant {
    /// Its values, in the order in which they are inserted; when it can be deleted comes last, and is not among them.
    package var storedValues: [StoredValue] {
        [
            .text(id), .text(clientID), .text(subject), .text(scope.description), .time(authenticatedAt),
            .optional(authentication.reference), .json(.strings(authentication.methods)), .time(createdAt),
            .optional(parentID), .json(.strings(resources)),
            .json(.array(authorizationDetails.map { .object($0.json) })),
        ]
    }

    /// Reads a grant: the columns as they are inserted, except that the identifier comes last.
    ///
    /// - Parameter row: A row of `grants`.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(row: some StoredRow) throws(StorageError) {
        self.init(
            id: try row.text(10),
            clientID: try row.text(0),
            subject: try row.text(1),
            scope: try row.scope(2),
            authenticatedAt: try row.time(3),
            authentication: try row.authentication(4, methods: 5),
            createdAt: try row.time(6),
            parentID: try row.optionalText(7)
        )
        resources = try row.strings(8)
        authorizationDetails = try row.authorizationDetails(9)
    }
}
