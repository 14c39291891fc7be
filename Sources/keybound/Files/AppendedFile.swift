// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// A file that lines are added to, by several processes too; readable for its owner only.
final class AppendedFile: Sendable {
    private let path: String
    private let descriptor: CInt

    init(_ path: String) throws {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure.failure("cannot write \(path)") }
    }

    deinit {
        close(descriptor)
    }

    /// Adds lines.
    func append(_ lines: [UInt8]) throws {
        try OutputFile.write(lines, to: descriptor, named: path)
    }
}
#endif
