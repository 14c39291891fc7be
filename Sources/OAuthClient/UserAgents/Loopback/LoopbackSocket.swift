// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A descriptor that is closed with its last reference.
///
/// Reading and writing never block.
package final class LoopbackSocket: Sendable {
    let descriptor: Int32

    init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
        var on: Int32 = 1
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit {
        _ = close(descriptor)
    }

    /// A pipe: bytes written to the second end are read from the first.
    static func pipe() -> (reading: LoopbackSocket, writing: LoopbackSocket)? {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
        let result = unsafe Darwin.pipe(&ends)
        #elseif canImport(Glibc)
        let result = unsafe Glibc.pipe(&ends)
        #else
        let result = unsafe Musl.pipe(&ends)
        #endif
        guard result == 0 else { return nil }
        return (LoopbackSocket(adopting: ends[0]), LoopbackSocket(adopting: ends[1]))
    }

    /// Accepts the next connection; `nil` when none is waiting.
    package func acceptConnection() -> LoopbackSocket? {
        let connection = accept(descriptor, nil, nil)
        return connection >= 0 ? LoopbackSocket(adopting: connection) : nil
    }

    /// Reads at most 4 KiB; empty at the end, `nil` when nothing has arrived yet.
    package func receive() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(descriptor, &chunk, chunk.count)
        if count < 0 { return errno == EAGAIN || errno == EINTR ? nil : [] }
        return Array(chunk.prefix(count))
    }

    /// Writes a few bytes to a pipe.
    func signal() {
        _ = unsafe write(descriptor, [1], 1)
    }

    /// Sends a response that fits into the kernel's buffer, and shuts down the sending side.
    func finish(sending bytes: [UInt8]) {
        _ = transmit(bytes)
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Sends as many bytes as fit into the kernel's buffer.
    ///
    /// A closed connection causes no signal.
    ///
    /// - Returns: Whether all bytes were sent.
    package func transmit(_ bytes: [UInt8]) -> Bool {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        return unsafe send(descriptor, bytes, bytes.count, flags) == bytes.count
    }

    /// Waits until at least one descriptor is ready or the time is up.
    ///
    /// - Returns: The indices of the ready descriptors.
    package static func wait(for sockets: [LoopbackSocket], milliseconds: Int32) -> [Int] {
        var entries = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return [] }
        return entries.indices.filter { entries[$0].revents != 0 }
    }
}
