// SPDX-License-Identifier: Apache-2.0

import Foundation
import JOSE
import OAuthSystem
import TestSupport

/// `keybound serve` on a free port, with a database and a key of its own.
struct ServedIssuer {
    static let scope = "notes:read"

    let issuer: String
    private let process: KeyboundProcess

    /// Starts it, if wanted through a command of bash that ends with `exec "$@"`, and waits until it listens.
    init(
        in directory: TemporaryDirectory,
        options: [String]? = nil,
        environment: [String: String] = [:],
        through command: String? = nil
    ) async throws {
        let port = FreePort.next()
        issuer = "http://127.0.0.1:\(port)"
        if options == nil, !FileManager.default.fileExists(atPath: directory.path + "/credential") {
            try directory.write(Data(SystemEntropy().bytes(32)), to: "credential")
        }
        process = try KeyboundProcess(
            Self.arguments(port: port, listen: port) + (options ?? ["--key-credential-file", "credential"]),
            in: directory,
            environment: environment,
            through: command
        )
        _ = try await process.line(beginningWith: "protected")
    }

    static func arguments(port: UInt16, listen: UInt16) -> [String] {
        [
            "serve", "--issuer", "http://127.0.0.1:\(port)", "--listen", "127.0.0.1:\(listen)",
            "--allow-insecure-loopback-issuer", "--scope", "\(scope)=read your notes",
        ]
    }

    /// Stops it with SIGTERM.
    func stop() async -> KeyboundProcess.Result {
        process.terminate()
        return await process.result()
    }

    /// Ends it with SIGKILL.
    func kill() async {
        process.kill()
        _ = await process.result()
    }
}
