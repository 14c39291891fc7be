// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// An open file that is closed with its last reference.
final class FileDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// The error of the last failed system call, with what was attempted.
    static func failure(_ attempt: String) -> KeyStoreError {
        let number = errno
        let text = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "unknown"
        return KeyStoreError(.storageFailed, "cannot \(attempt): \(text) (errno \(number))")
    }

    func status() throws(KeyStoreError) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw Self.failure("look at a key file or directory") }
        return status
    }

    /// All bytes; `nil` if there are more than `maximumCount`.
    func readAll(maximumCount: Int) throws(KeyStoreError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: maximumCount + 1)
        var count = 0
        while count < bytes.count {
            let offset = count
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe read(number, buffer.baseAddress.map { unsafe $0 + offset }, buffer.count - offset)
            }
            if result == 0 { break }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw Self.failure("read a key file") }
            count += result
        }
        return count > maximumCount ? nil : Array(bytes[..<count])
    }

    func writeAll(_ bytes: [UInt8]) throws(KeyStoreError) {
        var offset = 0
        while offset < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(number, buffer.baseAddress.map { unsafe $0 + offset }, buffer.count - offset)
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw Self.failure("write a key file") }
            offset += result
        }
    }

    /// Waits until the bytes are on the disk.
    func synchronize() throws(KeyStoreError) {
        guard fsync(number) == 0 else { throw Self.failure("write a key file through to the disk") }
    }
}
#endif
