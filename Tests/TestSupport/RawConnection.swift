// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc

/// A TCP connection that sends exactly the given bytes.
///
/// Its calls block: use it inside ``blocking(_:)``.
///
/// `@unchecked`: each test passes its connection from one thread to the next and never uses it on two at a time.
package final class RawConnection: @unchecked Sendable {
    package struct Failure: Error {
        let call: String
        let number: CInt
    }

    private let descriptor: CInt
    private var isOpen = true
    /// Received but not yet returned.
    private var buffer: [UInt8] = []

    /// Connects to a loopback port; no call waits longer than `timeout` seconds.
    ///
    /// `source` is the IPv4 loopback address to connect from; `nil` for 127.0.0.1, or ::1.
    package init(port: UInt16, isIPv6: Bool = false, from source: String? = nil, timeout: Int = 300) throws {
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if let source { Self.bind(descriptor, to: source) }
        let result: CInt
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            _ = unsafe inet_pton(AF_INET6, "::1", &address.sin6_addr)
            result = Self.connect(descriptor, &address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            _ = unsafe inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
            result = Self.connect(descriptor, &address)
        }
        guard result == 0 else {
            let number = errno
            Glibc.close(descriptor)
            isOpen = false
            throw Failure(call: "connect", number: number)
        }
    }

    /// Connects to a socket in the file system, of at most 107 bytes; no call waits longer than `timeout` seconds.
    package init(path: String, timeout: Int = 300) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix(107)) }
        guard Self.connect(descriptor, &address) == 0 else {
            let number = errno
            Glibc.close(descriptor)
            isOpen = false
            throw Failure(call: "connect", number: number)
        }
    }

    deinit { close() }

    private static func connect<Address>(_ descriptor: CInt, _ address: inout Address) -> CInt {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    private static func bind(_ descriptor: CInt, to source: String) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        _ = unsafe inet_pton(AF_INET, source, &address.sin_addr)
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Sends the end of the stream; responses can still be received.
    package func finishSending() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    package func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }

    /// Closes with a reset instead of an orderly shutdown.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout.size(ofValue: linger))
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
        close()
    }

    package func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(call: "send", number: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Everything until the server closes or resets the connection.
    package func receiveAll() throws -> String {
        while try fill() {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// What was received, as soon as it contains a text; it stays there for the next call.
    package func received(until text: String) throws -> String {
        while true {
            let received = String(decoding: buffer, as: UTF8.self)
            if try received.contains(text) || !fill() { return received }
        }
    }

    /// The next response; `nil` if the connection ended before one began.
    package func receive(toHEAD: Bool = false) throws -> RawResponse? {
        var headEnd: Int?
        while headEnd == nil {
            headEnd = buffer.indices.first { buffer[$0...].starts(with: "\r\n\r\n".utf8) }
            if headEnd == nil, try !fill() { return nil }
        }
        let response = RawResponse(head: String(decoding: buffer[..<(headEnd ?? 0)], as: UTF8.self))
        buffer.removeFirst((headEnd ?? 0) + 4)
        let length = toHEAD ? 0 : response.contentLength
        while buffer.count < length, try fill() {}
        defer { buffer.removeFirst(min(length, buffer.count)) }
        return RawResponse(head: response.head, body: Array(buffer.prefix(length)))
    }

    private func fill() throws -> Bool {
        var part = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe recv(descriptor, &part, part.count, 0)
        if count < 0, errno == EAGAIN { throw Failure(call: "recv", number: errno) }
        guard count > 0 else { return false }
        buffer += part.prefix(count)
        return true
    }
}

/// A response as received.
package struct RawResponse: Sendable {
    package let head: String
    package var body: [UInt8] = []

    package var status: Int { Int(head.dropFirst(9).prefix(3)) ?? 0 }
    package var text: String { String(decoding: body, as: UTF8.self) }
    package var contentLength: Int { field("Content-Length").flatMap { Int($0) } ?? 0 }

    package func field(_ name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == name.lowercased() {
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        return nil
    }
}

/// Runs blocking calls on a separate thread, so that the handlers under test keep theirs.
package func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}

/// Sends bytes on a new connection and returns everything until the server closes it.
package func converse(_ port: UInt16, _ text: String) async throws -> String {
    try await blocking {
        let connection = try RawConnection(port: port)
        try connection.send(text)
        return try connection.receiveAll()
    }
}
#endif
