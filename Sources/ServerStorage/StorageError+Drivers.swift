// SPDX-License-Identifier: Apache-2.0

extension StorageError {
    /// The error for a column with a value that this program never writes.
    ///
    /// - Parameters:
    ///   - column: The name of the column. Its value is left out: it can be a secret.
    ///   - underlying: Why it cannot be read.
    /// - Returns: The error.
    package static func unreadable(_ column: String, underlying: (any Error)? = nil) -> Self {
        Self(.corrupted, "the database holds a value in column \(column) that cannot be read", underlying: underlying)
    }

    /// The error for a hash or identifier under which something else is stored: 256 random bits never repeat by chance.
    ///
    /// - Parameter what: What is stored, with its article.
    /// - Returns: The error.
    package static func isStoredOtherwise(_ what: String) -> Self {
        Self(.alreadyStored, "\(what) is already stored: its random value was used twice")
    }

    /// The error for a code or token that the revocation of its grant would not reach.
    package static let belongsToAnotherGrant = Self(
        .statementFailed,
        "what is given out must belong to the grant it is given out under"
    )
}
