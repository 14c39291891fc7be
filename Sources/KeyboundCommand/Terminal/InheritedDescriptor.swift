// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file descriptor that the caller opened before this program was started.
enum InheritedDescriptor {
    /// Parses the number of a descriptor.
    ///
    /// - Parameters:
    ///   - text: The number, in decimal.
    ///   - name: The option or setting that it is the value of.
    /// - Returns: The number, of a descriptor that is open.
    /// - Throws: ``CommandFailure`` with ``ExitCode/usage`` if it is not a number, or not an open descriptor.
    static func number(_ text: String, named name: String) throws -> CInt {
        guard let number = CInt(text), number >= 0 else {
            throw CommandFailure.usage(
                "\(name) is not the number of a file descriptor",
                hint: "open one for the command: 3<FILE, and give 3"
            )
        }
        let flags = fcntl(number, F_GETFD)
        // A descriptor with FD_CLOEXEC was not inherited: this program opened it, perhaps as a socket, and reading from
        // it could block forever.
        guard flags >= 0, flags & FD_CLOEXEC == 0 else {
            throw CommandFailure.usage(
                "\(name): file descriptor \(number) is not open",
                hint: "open it where the program is started, as in \(number)<FILE in a shell"
            )
        }
        return number
    }
}
