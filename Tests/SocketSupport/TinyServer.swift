// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

@testable import OAuthClient

/// A server on a real socket that answers each path with prepared bytes, to see what a transport makes of them.
package final class TinyServer: Sendable {
    /// What the server does with a request.
    package enum Answer: Sendable {
        /// These bytes, then the end.
        case bytes(String)
        /// These bytes, then nothing until the client gives up.
        case head(String)
        /// A head, then a body without end.
        case endless
        /// Nothing, until the client gives up.
        case silence
        /// These bytes, one after the other, so many milliseconds apart.
        case drip(String, milliseconds: Int32)
        /// The first of these at the first request, the last one from then on.
        case inTurn([Answer])
    }

    /// How many milliseconds it waits for a client: longer than a busy machine keeps one from going on.
    ///
    /// What is tested would change if the server closed the connection first. The end of the server ends the wait.
    private static let patience: Int32 = 300_000

    /// The address of the server.
    package let base: String
    private let waker: WakeupPipe
    private let log = RequestLog()

    /// Starts to listen; `BASE` in an answer stands for the address of the server.
    package init(_ answers: [String: Answer]) throws {
        guard let listener = LoopbackListener.onIPv4(port: 0), let waker = WakeupPipe() else {
            throw OAuthClientError(.loopbackFailed, "no socket")
        }
        base = "http://" + listener.authority
        self.waker = waker
        Thread.detachNewThread { [log] in
            while !LoopbackSocket.wait(for: [waker.socket, listener.listening], milliseconds: 30_000).contains(0) {
                // None waits when nobody has connected for a while, or has gone again.
                guard let connection = listener.listening.acceptConnection() else { continue }
                Thread.detachNewThread {
                    Self.serve(connection, waker.socket, at: "http://" + listener.authority) { path, request in
                        (answers[path] ?? Self.notFound).answer(number: log.record(request, at: path))
                    }
                }
            }
        }
    }

    deinit {
        waker.wake()
    }

    /// The requests so far, each with its head and body as text.
    package var requests: [String] { log.requests }

    private final class RequestLog: Sendable {
        private let seen = Mutex<[(path: String, request: String)]>([])

        var requests: [String] { seen.withLock { $0.map(\.request) } }

        /// Returns which request of its path it is, from zero.
        func record(_ request: String, at path: String) -> Int {
            seen.withLock { seen in
                seen.append((path, request))
                return seen.count { $0.path == path } - 1
            }
        }
    }

    private static func serve(
        _ connection: LoopbackSocket,
        _ wake: LoopbackSocket,
        at base: String,
        _ answer: (_ path: String, _ request: String) -> Answer
    ) {
        var bytes: [UInt8] = []
        while !isComplete(bytes) {
            guard LoopbackSocket.wait(for: [connection, wake], milliseconds: patience) == [0],
                let chunk = connection.receive(), !chunk.isEmpty
            else { return }
            bytes += chunk
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let path = text.split(separator: " ").dropFirst().first.map { String($0.prefix { $0 != "?" }) } ?? ""
        switch answer(path, text) {
        case .bytes(let answer): connection.finish(sending: Array(answer.replacing("BASE", with: base).utf8))
        case .inTurn: connection.finish(sending: [])
        case .drip(let answer, let milliseconds):
            for byte in answer.replacing("BASE", with: base).utf8 {
                guard connection.transmit([byte]),
                    !LoopbackSocket.wait(for: [connection, wake], milliseconds: milliseconds).contains(1)
                else { return }
            }
        case .silence: _ = LoopbackSocket.wait(for: [connection, wake], milliseconds: patience)
        case .head(let start):
            _ = connection.transmit(Array(start.utf8))
            _ = LoopbackSocket.wait(for: [connection, wake], milliseconds: patience)
        case .endless:
            _ = connection.transmit(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8))
            for _ in 0..<256 {
                guard connection.transmit(Array(repeating: 65, count: 4096)) else { return }
            }
        }
    }

    private static let notFound = Answer.bytes(
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )

    private static func isComplete(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
        guard let end = text.range(of: "\n\n") else { return false }
        let length = text.split(separator: "\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
        if length == nil, text.lowercased().contains("transfer-encoding: chunked") { return text.hasSuffix("\n0\n\n") }
        return text[end.upperBound...].utf8.count >= length ?? 0
    }
}

extension TinyServer.Answer {
    /// What is done with one of several requests, counted from zero.
    fileprivate func answer(number: Int) -> Self {
        guard case .inTurn(let answers) = self, !answers.isEmpty else { return self }
        return answers[min(number, answers.count - 1)]
    }

    /// An answer whose body ends with the connection.
    package static func http(_ status: Int, _ fields: [String] = [], _ body: String = "") -> Self {
        .bytes((["HTTP/1.1 \(status) X", "Connection: close"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body)
    }
}
