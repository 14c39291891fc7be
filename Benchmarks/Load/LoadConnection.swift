// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A persistent connection to a server on 127.0.0.1: it sends a request and waits for the complete response.
struct LoadConnection: ~Copyable {
    private let socket: Int32
    private let port: UInt16
    private var buffer: [UInt8] = []

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.port = port
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(socket, $0, size) }
        }
        guard result == 0 else { throw BenchmarkError("nobody listens at port \(port)") }
        var isOn: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// Sends a request and waits for its response.
    mutating func exchange(
        _ method: String,
        _ target: String,
        fields: [(name: String, value: String)],
        body: String = ""
    ) throws -> LoadResponse {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        if method == "POST" {
            text += "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        try send(Array((text + "\r\n" + body).utf8))
        buffer.removeAll(keepingCapacity: true)
        while true {
            if let answer = try LoadResponse(parsing: buffer) { return answer }
            try receive()
        }
    }

    private func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { part in
                unsafe Glibc.send(socket, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw ConnectionLost(description: "the server closed the connection") }
            rest = rest.dropFirst(count)
        }
    }

    private mutating func receive() throws {
        let count = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16_384) { part in
            let count = unsafe recv(socket, part.baseAddress, part.count, 0)
            if count > 0 { unsafe buffer.append(contentsOf: part[..<count]) }
            return count
        }
        guard count > 0 else {
            let reason = count == 0 ? "closed the connection" : "does not answer: errno \(errno)"
            throw ConnectionLost(description: "the server \(reason)")
        }
    }
}
