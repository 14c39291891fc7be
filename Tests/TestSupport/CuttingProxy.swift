// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc
import Synchronization

/// A proxy in front of a server's Unix socket that cuts a connection after a number of bytes, in either direction.
public final class CuttingProxy: Sendable {
    /// The socket cannot be opened.
    public struct CannotListen: Error {}

    private struct State {
        var bytesLeft: Int?
        var cuts = 0
        var isStopped = false
    }

    /// The directory of its socket.
    public let directory: String
    /// Its socket, of the same name as that of the server.
    public let path: String
    private let server: String
    private let hidesProcess: Bool
    private let listener: Int32
    private let state = Mutex(State())

    /// Listens.
    ///
    /// - Parameters:
    ///   - server: The server's socket.
    ///   - hidesProcess: Whether clients of PostgreSQL are told a made-up process, as poolers do.
    /// - Throws: ``CannotListen``, or an error of the file system.
    public init(to server: String, hidesProcess: Bool = false) throws {
        self.server = server
        self.hidesProcess = hidesProcess
        let socketFile = URL(fileURLWithPath: server)
        directory = socketFile.deletingLastPathComponent().path + "/proxy-" + UUID().uuidString.prefix(6)
        path = directory + "/" + socketFile.lastPathComponent
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        listener = Self.socket()
        let isBound = unsafe Self.withAddress(path) { address, size in
            unsafe bind(listener, address, size) == 0 && listen(listener, 64) == 0
        }
        guard isBound else { throw CannotListen() }
        Thread.detachNewThread { self.accept() }
    }

    /// How many connections it has cut.
    public var cuts: Int { state.withLock { $0.cuts } }

    /// Cuts the connection that passes the last of so many bytes; once.
    ///
    /// - Parameter bytes: The bytes in both directions; `nil` for no cut.
    public func cut(after bytes: Int?) {
        state.withLock { $0.bytesLeft = bytes }
    }

    /// Stops; connections that are open stay.
    public func stop() {
        state.withLock { state in
            if !state.isStopped { _ = shutdown(listener, Int32(SHUT_RDWR)) }
            state.isStopped = true
        }
    }

    /// A socket that child processes do not inherit: they would keep its connection open.
    private static func socket() -> Int32 {
        Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private func accept() {
        // Closed by nobody else: its number could then be that of another descriptor while this thread still accepts.
        defer {
            state.withLock { $0.isStopped = true }
            close(listener)
        }
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            guard !state.withLock({ $0.isStopped }) else {
                close(client)
                return
            }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            let upstream = Self.socket()
            let isConnected = unsafe Self.withAddress(server) { address, size in
                unsafe connect(upstream, address, size) == 0
            }
            guard isConnected else {
                close(client)
                close(upstream)
                continue
            }
            Thread.detachNewThread { self.pass(client, upstream) }
        }
    }

    /// Passes bytes both ways until one side ends, or the cut.
    private func pass(_ client: Int32, _ upstream: Int32) {
        defer {
            close(client)
            close(upstream)
        }
        var buffer = [UInt8](repeating: 0, count: 65536)
        var showsProcess = !hidesProcess
        while true {
            var waiting = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&waiting, 2, -1) > 0 else { return }
            for (from, to) in [(0, upstream), (1, client)] where waiting[from].revents != 0 {
                let count = unsafe read(waiting[from].fd, &buffer, buffer.count)
                guard count > 0 else { return }
                if from == 1, !showsProcess { showsProcess = Self.replaceProcess(in: &buffer, count) }
                let allowed = allowance(count)
                guard unsafe send(to, buffer, allowed, Int32(MSG_NOSIGNAL)) == allowed, allowed == count else {
                    return
                }
            }
        }
    }

    /// Replaces the process in the message BackendKeyData of PostgreSQL.
    ///
    /// - Returns: Whether the message is there.
    private static func replaceProcess(in buffer: inout [UInt8], _ count: Int) -> Bool {
        let start: [UInt8] = [UInt8(ascii: "K"), 0, 0, 0, 12]
        guard count >= 13 else { return false }
        for index in 0...(count - 13) where buffer[index..<(index + start.count)].elementsEqual(start) {
            // Larger than the process identifiers of any system.
            for offset in 5..<9 { buffer[index + offset] = 0x7F }
            return true
        }
        return false
    }

    /// How many of these bytes may still pass.
    private func allowance(_ count: Int) -> Int {
        state.withLock { state in
            guard let left = state.bytesLeft else { return count }
            guard left < count else {
                state.bytesLeft = left - count
                return count
            }
            state.bytesLeft = nil
            state.cuts += 1
            return left
        }
    }

    private static func withAddress<Result>(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            for (index, byte) in path.utf8.enumerated() where index < field.count - 1 {
                unsafe field[index] = byte
            }
        }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
#endif
