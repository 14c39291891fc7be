// SPDX-License-Identifier: Apache-2.0

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
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe writeOnce($0) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                waitUntilWritable()
            } else if count < 0, errno != EINTR {
                if errno == EPIPE, descriptor == 1 { ProcessEnd.now(.brokenPipe) }
                return
            }
        }
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
