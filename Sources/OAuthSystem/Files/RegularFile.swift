// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A regular file that is open for reading; whoever reads says where, so that several can at the same time.
package final class RegularFile: Sendable {
    /// How long the file was when it was opened, in bytes.
    package let size: Int
    private let descriptor: CInt

    /// Opens a file; may block for as long as the disk takes.
    ///
    /// `nil` for what cannot be read, and for what is no regular file: a pipe could keep its reader waiting.
    ///
    /// - Parameter path: The path; a link is followed.
    package init?(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        size = Int(status.st_size)
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Reads a part of the file; may block for as long as the disk takes.
    ///
    /// - Parameters:
    ///   - offset: Where the part begins, in bytes.
    ///   - count: How many bytes to read at most.
    /// - Returns: The bytes, fewer than asked for at the end of the file only; `nil` when the disk fails.
    package func read(at offset: Int, upTo count: Int) -> [UInt8]? {
        var isGood = true
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(count, 0)) { buffer, filled in
            while filled < buffer.count {
                let start = unsafe buffer.baseAddress.map { unsafe $0 + filled }
                let part = unsafe pread(descriptor, start, buffer.count - filled, off_t(offset + filled))
                if part < 0, errno == EINTR { continue }
                isGood = part >= 0
                guard part > 0 else { return }
                filled += part
            }
        }
        return isGood ? bytes : nil
    }
}
