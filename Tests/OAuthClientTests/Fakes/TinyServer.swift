// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

@testable import OAuthClient

/// A server on a real socket that answers each path with prepared bytes, to see what a transport makes of them.
final class TinyServer: Sendable {
    /// What the server does with a request.
    enum Answer: Sendable {
        /// These bytes, then the end.
        case bytes(String)
        /// These bytes, then nothing until the client gives up.
        case head(String)
        /// A head, then a body without end.
        case endless
        /// Nothing, until the client gives up.
        case silence
    }

    let base: String
    private let waker: LoopbackWaker
    private let log = RequestLog()

    /// Starts to listen.
    init(_ answers: [String: Answer]) throws {
        guard let listener = LoopbackListener.onIPv4(port: 0), let waker = LoopbackWaker() else {
            throw OAuthClientError(.loopbackFailed, "no socket")
        }
        base = "http://" + listener.authority
        self.waker = waker
        Thread.detachNewThread { [log] in
            while !LoopbackSocket.wait(for: [waker.socket, listener.listening], milliseconds: 30_000).contains(0) {
                guard let connection = listener.listening.acceptConnection() else { return }
                Thread.detachNewThread { Self.serve(connection, waker.socket, answers) { log.record($0) } }
            }
        }
    }

    deinit {
        waker.wake()
    }

    /// The requests so far, each with its head and body as text.
    var requests: [String] { log.requests }

    private final class RequestLog: Sendable {
        private let seen = Mutex<[String]>([])

        var requests: [String] { seen.withLock { $0 } }

        func record(_ request: String) {
            seen.withLock { $0.append(request) }
        }
    }

    private static func serve(
        _ connection: LoopbackSocket,
        _ wake: LoopbackSocket,
        _ answers: [String: Answer],
        _ record: (String) -> Void
    ) {
        var bytes: [UInt8] = []
        while !isComplete(bytes) {
            guard LoopbackSocket.wait(for: [connection, wake], milliseconds: 10_000) == [0],
                let chunk = connection.receive(), !chunk.isEmpty
            else { return }
            bytes += chunk
        }
        let text = String(decoding: bytes, as: UTF8.self)
        record(text)
        let path = text.split(separator: " ").dropFirst().first.map { String($0.prefix { $0 != "?" }) } ?? ""
        switch answers[path] ?? .bytes("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") {
        case .bytes(let answer): connection.finish(sending: Array(answer.utf8))
        case .silence: _ = LoopbackSocket.wait(for: [connection, wake], milliseconds: 10_000)
        case .head(let start):
            let file = FileHandle(fileDescriptor: connection.descriptor, closeOnDealloc: false)
            try? file.write(contentsOf: Data(start.utf8))
            _ = LoopbackSocket.wait(for: [connection, wake], milliseconds: 10_000)
        case .endless:
            let file = FileHandle(fileDescriptor: connection.descriptor, closeOnDealloc: false)
            try? file.write(contentsOf: Data("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8))
            for _ in 0..<256 {
                guard (try? file.write(contentsOf: Data(repeating: 65, count: 4096))) != nil else { return }
            }
        }
    }

    private static func isComplete(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
        guard let end = text.range(of: "\n\n") else { return false }
        let length = text.split(separator: "\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
        if length == nil, text.lowercased().contains("transfer-encoding: chunked") { return text.hasSuffix("\n0\n\n") }
        return text[end.upperBound...].utf8.count >= length ?? 0
    }
}
