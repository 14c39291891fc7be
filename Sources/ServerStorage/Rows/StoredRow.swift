// SPDX-License-Identifier: Apache-2.0

/// One row of a result, as a driver with a database reads it.
///
/// Columns have numbers from 0, in the order of the statement. Every function throws
/// ``StorageError/Code/corrupted``, with the name of the column, for a value of another type.
package protocol StoredRow {
    /// Whether a value is NULL.
    func isNull(_ column: Int32) -> Bool

    /// A whole number, or a truth value as 0 or 1.
    func integer(_ column: Int32) throws(StorageError) -> Int64

    /// A text in UTF-8.
    func text(_ column: Int32) throws(StorageError) -> String

    /// Bytes.
    func blob(_ column: Int32) throws(StorageError) -> [UInt8]

    /// The name of a column, for error messages.
    func name(of column: Int32) -> String
}
