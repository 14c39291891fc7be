// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc
import HTTPMessage
import HTTPServer
import TestSupport
import Testing

@Suite("HTTP listener: sockets in the file system")
struct ListenerSocketFileTests {
    private static func path() -> String {
        "/tmp/keybound-\(UUID().uuidString).sock"
    }

    private static func listener(_ path: String, mode: UInt16 = 0o660) throws -> HTTPListener {
        try HTTPListener(on: .unixSocket(path: path, mode: mode), threads: 1) { request in
            HTTPResponse(
                status: 200,
                body: Array("\(request.isFromUnixSocket) \(request.peerAddress ?? "-") \(request.target)".utf8)
            )
        }
    }

    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test func `a path that no socket can have is known before one listens`() {
        #expect(HTTPListener.isSocketPath("/" + String(repeating: "x", count: 106)))
        for path in ["", "/" + String(repeating: "x", count: 107), "/a\0b"] {
            #expect(!HTTPListener.isSocketPath(path))
            let error = #expect(throws: HTTPServerError.self) { try Self.listener(path) }
            #expect(error?.code == .invalidAddress)
        }
    }

    private static let request = "GET /a%2Fb HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    @Test(.timeLimit(.minutes(1)))
    func `requests through a file are marked, and have no address`() async throws {
        let path = Self.path()
        let listener = try Self.listener(path, mode: 0o600)
        #expect(listener.port == 0)
        #expect(Self.mode(of: path) == 0o600)
        let answer = try await blocking {
            let connection = try RawConnection(path: path)
            try connection.send(Self.request)
            return try connection.receiveAll()
        }
        #expect(answer.hasSuffix("\r\n\r\ntrue - /a%2Fb"))
        await listener.stop(draining: .zero)
        #expect(Self.mode(of: path) == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `requests through a port are not marked`() async throws {
        let listener = try HTTPListener(port: 0, threads: 1) { request in
            HTTPResponse(status: 200, body: Array("\(request.isFromUnixSocket)".utf8))
        }
        let answer = try await converse(listener.port, Self.request)
        #expect(answer.hasSuffix("false"))
        await listener.stop(draining: .zero)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a file that nobody listens at is replaced, one that somebody listens at is not`() async throws {
        let path = Self.path()
        // A process that was killed leaves its file.
        close(try Self.boundSocket(path))
        let listener = try Self.listener(path)
        let error = #expect(throws: HTTPServerError.self) { try Self.listener(path) }
        #expect(error?.code == .cannotListen)
        #expect(Self.mode(of: path) != nil)
        await listener.stop(draining: .zero)
    }

    @Test func `a file that is no socket stays`() throws {
        let path = Self.path()
        try "notes".write(toFile: path, atomically: true, encoding: .utf8)
        defer { _ = unsafe unlink(path) }
        let error = #expect(throws: HTTPServerError.self) { try Self.listener(path) }
        #expect(error?.code == .cannotListen)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "notes")
    }

    @Test func `a path that does not fit is rejected`() {
        let path = "/tmp/" + String(repeating: "s", count: 103)
        let error = #expect(throws: HTTPServerError.self) { try Self.listener(path) }
        #expect(error?.code == .invalidAddress)
        #expect(Self.mode(of: path) == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a socket of the parent process stays open when the listener stops`() async throws {
        let path = Self.path()
        let parent = try Self.parentSocket(path)
        defer {
            close(parent)
            _ = unsafe unlink(path)
        }
        for _ in 0..<2 {
            let listener = try HTTPListener(on: .inherited(descriptor: dup(parent)), threads: 1) { request in
                HTTPResponse(status: 200, body: Array("\(request.isFromUnixSocket)".utf8))
            }
            let answer = try await blocking {
                let connection = try RawConnection(path: path)
                try connection.send(Self.request)
                return try connection.receiveAll()
            }
            #expect(answer.hasSuffix("true"))
            await listener.stop(draining: .zero)
        }
        #expect(Self.mode(of: path) != nil)
    }

    @Test func `a descriptor that does not listen is rejected`() {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        let error = #expect(throws: HTTPServerError.self) {
            try HTTPListener(on: .inherited(descriptor: descriptor), threads: 1) { _ in HTTPResponse(status: 200) }
        }
        #expect(error?.code == .cannotListen)
    }

    private static func parentSocket(_ path: String) throws -> CInt {
        let parent = try boundSocket(path)
        try #require(listen(parent, 16) == 0)
        return parent
    }

    private static func boundSocket(_ path: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        return descriptor
    }
}
#endif
