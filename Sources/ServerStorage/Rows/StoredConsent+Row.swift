// SPDX-License-Identifier: Apache-2.0

import OAuthCore

extension StoredConsent {
    /// Its values, in the order in which they are inserted and read; the first three identify it.
    package var storedValues: [StoredValue] {
        [.text(subject), .text(clientID), .hash(detailsHash), .text(scope.description), .time(rememberedAt)]
    }

    /// Reads a consent.
    ///
    /// - Parameter row: A row of `consents`.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(row: some StoredRow) throws(StorageError) {
        self.init(
            subject: try row.text(0),
            clientID: try row.text(1),
            detailsHash: try row.hash(2),
            scope: try row.scope(3),
            rememberedAt: try row.time(4)
        )
    }
}
