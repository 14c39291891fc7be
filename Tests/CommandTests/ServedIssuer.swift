// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import HTTPServer
import JOSE

/// `keybound serve` on a free port, with a database and a key of its own.
struct ServedIssuer {
    static let scope = "notes:read"

    let issuer: String
    private let process: KeyboundProcess

    /// Starts it, and waits until it listens.
    init(in directory: TemporaryDirectory, options: [String]? = nil) async throws {
        let port = try await Self.freePort()
        issuer = "http://127.0.0.1:\(port)"
        if options == nil, !FileManager.default.fileExists(atPath: directory.path + "/credential") {
            try directory.write(Data(SystemEntropy().bytes(32)), to: "credential")
        }
        process = try KeyboundProcess(
            Self.arguments(port: port, listen: port) + (options ?? ["--key-credential-file", "credential"]),
            in: directory
        )
        _ = try await process.line(beginningWith: "protected")
    }

    static func arguments(port: UInt16, listen: UInt16) -> [String] {
        [
            "serve", "--issuer", "http://127.0.0.1:\(port)", "--listen", "127.0.0.1:\(listen)",
            "--allow-insecure-loopback-issuer", "--scope", "\(scope)=read your notes",
        ]
    }

    /// A port that nobody listened on a moment ago: the issuer names it before the server has it.
    static func freePort() async throws -> UInt16 {
        let listener = try HTTPListener(port: 0) { _ in HTTPResponse(status: 404) }
        await listener.stop(draining: .zero)
        return listener.port
    }

    /// Stops it with SIGTERM.
    func stop() async -> KeyboundProcess.Result {
        process.terminate()
        return await process.result()
    }
}
