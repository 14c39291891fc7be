// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The reason why a file operation failed.
///
/// It does not name the file. The caller adds the file to an error of its own.
public struct FileError: Error, Sendable, CustomStringConvertible {
    /// The attempted operation, as a verb before the file: `open`, `make the directory of`.
    public let attempt: String
    /// The error of the system, an `errno`.
    public let number: CInt

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - attempt: The attempted operation, as a verb before the file.
    ///   - number: The error of the system, an `errno`.
    public init(attempt: String, number: CInt) {
        self.attempt = attempt
        self.number = number
    }

    /// The message of the system, in lower case, to continue a sentence.
    public var reason: String { unsafe String(cString: strerror(number)).lowercased() }

    /// The attempted operation and the message of the system.
    public var description: String { "cannot \(attempt) the file: \(reason)" }
}
