// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage

/// An operation as statements that are known before any of them is answered.
///
/// The plans of all operations that wait go out in one message, so many of them cost little more than one. A plan covers
/// the usual case and changes nothing in any other; then the operation is carried out step by step.
struct PostgreSQLPlan<Value: Sendable>: Sendable {
    /// Reads the results, one for each statement; `nil` if the operation must be carried out step by step.
    typealias Read = @Sendable (PostgreSQLConnection, ArraySlice<PostgreSQLResult>) throws(StorageError) -> Value?

    let statements: [PostgreSQLStatement]
    /// Plans lock rows in the order of this text, so that two batches do not wait for each other.
    let order: String
    let read: Read

    /// Makes a plan; `nil` if a value cannot be stored.
    ///
    /// - Parameters:
    ///   - statements: The statements. One that changes something must do so entirely, or not at all.
    ///   - order: What is locked, such as the identifier of a grant.
    ///   - read: Reads the results.
    init?(_ statements: [PostgreSQLStatement], locking order: String = "", read: @escaping Read) {
        guard !statements.contains(where: \.holdsZeroByte) else { return nil }
        self.statements = statements
        self.order = order
        self.read = read
    }
}
#endif
