// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The reason why a file operation failed.
public struct FileError: Error, Sendable, CustomStringConvertible {
    /// What failed, for humans: one sentence in lower case without a final full stop; it names the file.
    public let reason: String
    /// The error of the system, an `errno`; `nil` if no call failed, but the file is not as it must be.
    public let number: CInt?

    /// Creates an error with a sentence of its own.
    ///
    /// - Parameters:
    ///   - reason: What failed.
    ///   - number: The error of the system; `nil` for a file that is not as it must be.
    package init(_ reason: String, number: CInt? = nil) {
        self.reason = reason
        self.number = number
    }

    /// Creates an error for a failed system call; takes the reason from `errno`, so call it right after the failed call.
    ///
    /// - Parameter attempt: What was attempted, as a verb and the file: `read /var/lib/keybound/key`.
    /// - Returns: The error.
    package static func system(_ attempt: @autoclosure () -> String) -> FileError {
        let number = errno
        let message = unsafe String(cString: strerror(number)).lowercased()
        return FileError("cannot \(attempt()): \(message)", number: number)
    }

    /// Whether a file of this name exists, and must not.
    package var isOfTakenName: Bool { number == EEXIST }

    /// The reason.
    public var description: String { reason }
}
