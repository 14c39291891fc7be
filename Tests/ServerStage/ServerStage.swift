// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import Foundation
package import HTTPMessage
import HTTPServer
import SQLiteStorage
package import ServerStorage
import Synchronization
import TestSupport
import Testing

/// Where the servers of a test stand: each on a socket of its own, on one kind of storage.
///
/// Everything that a test opened is closed when it is over.
package final class ServerStage: Sendable {
    /// What servers keep their state in.
    package enum Store: String, CaseIterable, Sendable {
        case memory = "storage in memory"
        case sqlite = "SQLite"
    }

    /// The stage of the test that runs; `nil` for tests that call their server in the process.
    @TaskLocal package static var current: ServerStage?

    private let store: Store
    private let opened = Mutex<[@Sendable () async -> Void]>([])
    private let directories = Mutex<[String]>([])

    private init(_ store: Store) {
        self.store = store
    }

    /// Runs a test on a stage.
    static func run(on store: Store, _ body: () async throws -> Void) async throws {
        let stage = ServerStage(store)
        do {
            try await $current.withValue(stage, operation: body)
        } catch {
            await stage.close()
            throw error
        }
        await stage.close()
    }

    /// Listeners before the storage that they use.
    private func close() async {
        let opened = self.opened.withLock { opened in
            defer { opened = [] }
            return opened
        }
        for close in opened.reversed() { await close() }
    }

    /// The storage that a test brings, or else a new, empty one: in memory when there is no stage.
    package static func storage(
        _ given: (any AuthorizationStorage)? = nil
    ) async throws -> any AuthorizationStorage {
        if let given { return given }
        guard let current else { return MemoryAuthorizationStorage() }
        return try await current.newStorage()
    }

    /// What answers a test: the server itself, or when there is a stage a socket with the server behind it.
    package static func handler(
        _ server: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) throws -> @Sendable (HTTPRequest) async -> HTTPResponse {
        guard let current else { return server }
        return try current.listen(server)
    }

    /// Every byte of the files in which the storages of the test keep their state, by the name of the file; none for storage
    /// in memory.
    package static func storedFiles() throws -> [(name: String, bytes: [UInt8])] {
        try (current?.directories.withLock { $0 } ?? []).flatMap { directory in
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map { name in
                (name, try [UInt8](Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))))
            }
        }
    }

    private func newStorage() async throws -> any AuthorizationStorage {
        switch store {
        case .memory: return MemoryAuthorizationStorage()
        case .sqlite: return try await sqliteStorage()
        }
    }

    /// Where memory is used as a disk, if there is such a place: thousands of commits then take no time.
    private static let base =
        FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()

    private func sqliteStorage() async throws -> any AuthorizationStorage {
        let directory = Self.base + "/keybound-stage-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        directories.withLock { $0.append(directory) }
        let storage = try await SQLiteAuthorizationStorage(path: directory + "/keybound.sqlite")
        opened.withLock {
            $0.append {
                await storage.close()
                try? FileManager.default.removeItem(atPath: directory)
            }
        }
        return storage
    }

    /// Puts a server on a socket; what comes back sends requests there.
    private func listen(
        _ handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) throws -> @Sendable (HTTPRequest) async -> HTTPResponse {
        let listener = try HTTPListener(port: 0, handler: handler)
        opened.withLock { $0.append { await listener.stop(draining: .seconds(2)) } }
        return { request in
            do {
                return try await Self.exchange(request, port: listener.port)
            } catch {
                Issue.record(error, "no answer to \(request.method) \(request.target)")
                return HTTPResponse(status: 599)
            }
        }
    }

    private static func exchange(_ request: HTTPRequest, port: UInt16) async throws -> HTTPResponse {
        let bytes = wireBytes(of: request)
        let isHead = request.method == "HEAD"
        return try await blocking {
            let connection = try RawConnection(port: port)
            try connection.send(bytes)
            return try #require(try connection.receive(toHEAD: isHead)).asResponse
        }
    }

    /// A request that comes from an address is one that a proxy on this machine forwards.
    private static func wireBytes(of request: HTTPRequest) -> [UInt8] {
        var lines = ["\(request.method) \(request.target) HTTP/1.1", "Connection: close"]
        if request.fields["Host"] == nil { lines.append("Host: auth.example.com") }
        if !request.body.isEmpty || request.method == "POST" {
            lines.append("Content-Length: \(request.body.count)")
        }
        lines += request.fields.all.map { "\($0.name): \($0.value)" }
        if let address = request.peerAddress { lines.append("X-Forwarded-For: \(address)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + request.body
    }
}

extension RawResponse {
    /// The answer of the server: without what the listener adds to it.
    fileprivate var asResponse: HTTPResponse {
        let fields = head.split(separator: "\r\n").dropFirst().compactMap { line -> HTTPFields.Field? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            guard !["Date", "Content-Length", "Connection"].contains(line[..<colon]) else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return HTTPFields.Field(name: String(line[..<colon]), value: value)
        }
        return HTTPResponse(status: status, fields: HTTPFields(fields), body: body)
    }
}
#endif
