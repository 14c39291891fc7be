// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A regular file, open for reading.
///
/// Each read has its own offset, so several threads can read at the same time.
package final class RegularFile: Sendable {
    /// The size of the file when it was opened, in bytes.
    package let size: Int
    private let descriptor: CInt

    /// Opens a file.
    ///
    /// May block until the disk responds.
    ///
    /// `nil` if the file cannot be read or is not a regular file: a pipe could block its reader.
    ///
    /// - Parameter path: The path. A symbolic link is followed.
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

    /// Reads a part of the file.
    ///
    /// May block until the disk responds.
    ///
    /// - Parameters:
    ///   - offset: The offset of the part, in bytes.
    ///   - count: The maximum number of bytes.
    /// - Returns: The bytes, fewer than `count` only at the end of the file; `nil` if reading fails.
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
