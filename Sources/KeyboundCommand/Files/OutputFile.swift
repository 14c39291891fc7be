// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Writes the output of a command to a file.
enum OutputFile {
    /// Writes a file; overwrites an existing one.
    static func write(_ content: [UInt8], to path: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw SystemFailure.failure("cannot write \(path)") }
        defer { close(descriptor) }
        try write(content, to: descriptor, named: path)
    }

    static func write(_ content: [UInt8], to descriptor: CInt, named path: String) throws {
        if let failure = writeMost(of: content, to: descriptor, named: path).failure { throw failure }
    }

    /// Writes as much as possible.
    ///
    /// - Parameters:
    ///   - content: What to write.
    ///   - descriptor: The open file.
    ///   - path: Its name, for the error.
    /// - Returns: How many bytes were written, and why not all; `nil` if they were.
    static func writeMost(
        of content: [UInt8],
        to descriptor: CInt,
        named path: String
    ) -> (count: Int, failure: CommandFailure?) {
        var rest = content[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return 0 }
                #if canImport(Glibc)
                return unsafe Glibc.write(descriptor, start, bytes.count)
                #else
                return unsafe Darwin.write(descriptor, start, bytes.count)
                #endif
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return (content.count - rest.count, SystemFailure.failure("cannot write \(path)"))
            }
        }
        return (content.count, nil)
    }
}
