// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import TestSupport
import Testing

/// A `keybound proxy`, and a program that sends requests through it.
struct RunningProxy {
    let process: KeyboundProcess
    /// Where it listens, as it says.
    let place: String

    /// Starts it and waits until it listens.
    init(_ origin: String, in directory: TemporaryDirectory, options: [String] = []) async throws {
        process = try Self.start(origin, in: directory, options: options)
        place = try Self.lastWord(of: await process.line(beginningWith: "listening "))
    }

    /// Starts it, with a runtime directory of its own.
    static func start(
        _ origin: String,
        in directory: TemporaryDirectory,
        options: [String] = []
    ) throws -> KeyboundProcess {
        try KeyboundProcess(
            ["proxy", origin] + options,
            in: directory,
            environment: ["XDG_RUNTIME_DIR": directory.path]
        )
    }

    /// The port, if it listens at one.
    var port: UInt16? { place.split(separator: ":").last.flatMap { UInt16($0) } }

    /// What it printed as the secret, a field line.
    func secret() async throws -> String {
        try Self.lastWord(of: await process.line(beginningWith: "secret "))
    }

    /// Sends a request, with `Host: localhost` unless there is another one.
    func send(_ line: String, _ fields: [String] = [], body: String = "") async throws -> RawResponse {
        var lines = ["\(line) HTTP/1.1"] + fields
        if !fields.contains(where: { $0.hasPrefix("Host:") }) { lines.append("Host: localhost") }
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        return try await send(raw: lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// Sends exactly these bytes.
    func send(raw text: String) async throws -> RawResponse {
        try await blocking { [place, port] in
            let connection =
                if let port { try RawConnection(port: port) } else { try RawConnection(path: place) }
            try connection.send(text)
            return try #require(try connection.receive())
        }
    }

    /// Ends it as Ctrl-C and SIGTERM do.
    func stop() async -> KeyboundProcess.Result {
        process.terminate()
        return await process.result()
    }

    private static func lastWord(of line: String) throws -> String {
        String(try #require(line.split(separator: " ").last))
    }
}
#endif
