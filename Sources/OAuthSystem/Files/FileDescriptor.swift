// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#else
package import Darwin
#endif

/// An open file that is closed with its last reference.
///
/// Every function may block.
package final class FileDescriptor: Sendable {
    /// The number of the descriptor.
    package let number: CInt
    /// What the messages of errors call the file.
    private let name: String

    /// Takes over an open descriptor.
    ///
    /// - Parameters:
    ///   - number: The number of the descriptor, which this object closes.
    ///   - name: What the messages of errors call the file.
    package init(_ number: CInt, _ name: String) {
        self.number = number
        self.name = name
    }

    deinit {
        close(number)
    }

    /// Type, owner and permissions of the file.
    ///
    /// - Throws: ``FileError``.
    package func status() throws(FileError) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .system("look at \(name)") }
        return status
    }

    /// Reads to the end of the file.
    ///
    /// The result uses the memory that was read into, so a caller that wipes it leaves no other copy of a secret.
    ///
    /// - Parameter maximumCount: The maximum size, in bytes.
    /// - Returns: The bytes; `nil` if there are more than `maximumCount`.
    /// - Throws: ``FileError``.
    package func readAll(maximumCount: Int) throws(FileError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: maximumCount + 1)
        var count = 0
        while count < bytes.count {
            let offset = count
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe read(number, buffer.baseAddress.map { unsafe $0 + offset }, buffer.count - offset)
            }
            if result == 0 { break }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw .system("read \(name)") }
            count += result
        }
        guard count <= maximumCount else { return nil }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Writes all bytes.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: ``FileError``.
    package func writeAll(_ bytes: [UInt8]) throws(FileError) {
        var offset = 0
        while offset < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(number, buffer.baseAddress.map { unsafe $0 + offset }, buffer.count - offset)
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw .system("write \(name)") }
            offset += result
        }
    }

    /// Waits until the content is on the disk.
    ///
    /// On Darwin `fsync` leaves it in the cache of the disk, which a power cut empties; file systems that cannot empty
    /// that cache fall back to it.
    ///
    /// - Throws: ``FileError``.
    package func synchronize() throws(FileError) {
        #if canImport(Darwin)
        if fcntl(number, F_FULLFSYNC) == 0 || fcntl(number, F_BARRIERFSYNC) == 0 { return }
        #endif
        guard fsync(number) == 0 else { throw .system("write \(name) through to the disk") }
    }
}
