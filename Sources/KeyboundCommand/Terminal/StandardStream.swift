// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Standard output or standard error, written without a buffer so that their lines keep their order.
struct StandardStream: Sendable {
    static let output = StandardStream(descriptor: 1)
    static let error = StandardStream(descriptor: 2)

    private let descriptor: CInt
    /// The first error, by its number, with which standard output took something no more; 0 for none.
    private static let outputError = Atomic<CInt>(0)

    /// Why standard output is not complete; `nil` if it is.
    static var outputFailure: CommandFailure? {
        let number = outputError.load(ordering: .relaxed)
        guard number != 0 else { return nil }
        errno = number
        return SystemFailure.failure("cannot write standard output", .unavailable)
    }

    /// Whether the lines go to systemd's journal, which adds the time to each (systemd.exec(5)).
    ///
    /// - Parameter name: The value of `$JOURNAL_STREAM`: the device and the inode of the stream. A program may have been given
    ///   another one since.
    /// - Returns: Whether that is this stream.
    func isTakenByJournal(_ name: String? = ProcessEnvironment.value("JOURNAL_STREAM")) -> Bool {
        var status = stat()
        guard let name, unsafe fstat(descriptor, &status) == 0 else { return false }
        return name == "\(status.st_dev):\(status.st_ino)"
    }

    /// Whether it is a terminal.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// `write` reports a closed pipe as an error; the signal must not end a server.
    static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    func write(_ text: String) {
        write(Array(text.utf8))
    }

    /// Writes everything; ends the process if the reader of standard output has closed it.
    ///
    /// - Parameter bytes: What to write.
    /// - Returns: How many bytes were written: fewer after an error, such as a full disk.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe writeOnce($0) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                waitUntilWritable()
            } else if count < 0, errno != EINTR {
                guard descriptor == 1 else { break }
                if errno == EPIPE { ProcessEnd.now(.brokenPipe) }
                _ = Self.outputError.compareExchange(expected: 0, desired: errno, ordering: .relaxed)
                break
            }
        }
        return bytes.count - rest.count
    }

    private func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        #if canImport(Glibc)
        return unsafe Glibc.write(descriptor, start, bytes.count)
        #else
        return unsafe Darwin.write(descriptor, start, bytes.count)
        #endif
    }

    private func waitUntilWritable() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, 1000)
    }
}
