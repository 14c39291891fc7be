// SPDX-License-Identifier: Apache-2.0

/// The reason a storage driver could not open its store or carry out a statement.
///
/// Branch on ``code``; ``reason`` is text for humans. Neither ever holds a token, a proof or a key.
public struct StorageError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The database cannot be opened or created.
        public static let cannotOpen = Self("cannotOpen")
        /// The database was written by a newer version of this program.
        public static let schemaTooNew = Self("schemaTooNew")
        /// The database was written by an older version of this program and must be migrated first.
        public static let schemaTooOld = Self("schemaTooOld")
        /// The store rejected a change.
        public static let statementFailed = Self("statementFailed")
        /// A record with that hash or identifier is already stored, although its 256 random bits never repeat by
        /// chance.
        public static let alreadyStored = Self("alreadyStored")
        /// The database holds a value that this program never writes.
        public static let corrupted = Self("corrupted")

        /// Another process locked the database for too long, or too many operations wait; try the operation again.
        public static let busy = Self("busy")
        /// The database cannot be reached or written; nothing of the operation has happened.
        public static let unavailable = Self("unavailable")
        /// The connection was lost during a commit, and it is not known whether the change was stored.
        ///
        /// The same operation may be sent again with the same values.
        public static let outcomeUnknown = Self("outcomeUnknown")
        /// There is no space left to store the data; nothing of the operation has happened.
        public static let full = Self("full")
        /// The store was closed.
        public static let closed = Self("closed")

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        public var description: String { rawValue }
    }

    /// What went wrong, for programs.
    public let code: Code
    /// What went wrong, for humans: one sentence without a final full stop.
    public let reason: String
    /// The error of a lower layer or of the system that caused this one.
    public let underlying: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for humans; never a secret.
    ///   - underlying: The error that caused this one.
    public init(_ code: Code, _ reason: String, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
