// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import Synchronization

/// A file to which several processes may append lines; readable only by its owner.
final class AppendedFile: Sendable {
    private let path: String
    private let descriptor: Mutex<CInt>

    init(_ path: String) throws {
        self.path = path
        descriptor = Mutex(try Self.open(path))
    }

    deinit {
        descriptor.withLock { _ = close($0) }
    }

    /// Appends lines.
    ///
    /// - Parameter lines: The lines, with their ends.
    /// - Returns: How many bytes of them are in the file, and why not all; `nil` if they are.
    func append(_ lines: [UInt8]) -> (count: Int, failure: CommandFailure?) {
        descriptor.withLock { OutputFile.writeMost(of: lines, to: $0, named: path) }
    }

    /// Reopens the file by its name, after the current one was renamed; if that fails, keeps the current one.
    func reopen() throws {
        let new = try Self.open(path)
        descriptor.withLock { descriptor in
            close(descriptor)
            descriptor = new
        }
    }

    private static func open(_ path: String) throws -> CInt {
        let descriptor = unsafe Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let failure = SystemFailure.failure("cannot write \(path)")
            throw CommandFailure(
                failure.exitCode,
                failure.message,
                hints: FileHindrance.hints(for: path, isPrivate: true)
            )
        }
        return descriptor
    }
}
#endif
