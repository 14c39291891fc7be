// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The reason the system did not do what was asked of a file.
///
/// Whoever asked says which file it was: an error of a higher target is made of this one and of that.
public struct FileError: Error, Sendable, CustomStringConvertible {
    /// What was attempted, as a verb that goes before the file: `open`, `make the directory of`.
    public let attempt: String
    /// What the system said, an `errno`.
    public let number: CInt

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - attempt: What was attempted, as a verb that goes before the file.
    ///   - number: What the system said, an `errno`.
    public init(attempt: String, number: CInt) {
        self.attempt = attempt
        self.number = number
    }

    /// What the system said, in words that go on in a sentence.
    public var reason: String { unsafe String(cString: strerror(number)).lowercased() }

    /// What was attempted, and what the system said.
    public var description: String { "cannot \(attempt) the file: \(reason)" }
}
