// SPDX-License-Identifier: Apache-2.0

@testable import OAuthClient

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A connection to a port of 127.0.0.1, as browsers open them in advance.
final class TestConnection {
    private let socket: LoopbackSocket

    init?(port: UInt16) {
        #if canImport(Darwin)
        let descriptor = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        socket = LoopbackSocket(adopting: descriptor)
        guard result == 0 else { return nil }
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe send(socket.descriptor, bytes, bytes.count, 0)
    }
}
