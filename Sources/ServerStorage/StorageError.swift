// SPDX-License-Identifier: Apache-2.0

/// The reason a storage driver could not open its store or carry out a statement.
///
/// Branch on ``code``. Print ``reason`` for people. Neither ever holds a token, a proof or a key.
public struct StorageError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; new codes may be added in a minor version.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        public let rawValue: String

        /// The database cannot be opened or created.
        public static let cannotOpen = Self("cannotOpen")
        /// The database was written by a newer version of this program.
        public static let schemaTooNew = Self("schemaTooNew")
        /// The store rejected a change.
        public static let statementFailed = Self("statementFailed")
        /// A record of that hash or identifier is stored already, although its 256 random bits never repeat by chance.
        public static let alreadyStored = Self("alreadyStored")
        /// The database holds a value that this program never writes.
        public static let corrupted = Self("corrupted")

        /// Another process holds the database for longer than is waited, or too many operations wait; the operation can be
        /// tried again.
        public static let busy = Self("busy")
        /// There is no room for what was to be stored; nothing of the operation has happened.
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
    /// What went wrong, for people: one sentence without a final full stop.
    public let reason: String
    /// The error of a lower layer or of the system that led to this one.
    public let underlying: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for people; never a secret.
    ///   - underlying: The error that led to this one.
    public init(_ code: Code, _ reason: String, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
