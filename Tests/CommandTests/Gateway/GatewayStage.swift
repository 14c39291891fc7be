// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import StrictJSON
import TestSupport
import Testing

/// A gateway on a loopback port, which answers as `nginx` would ask.
struct GatewayStage {
    static let api = "https://api.example.com"

    let directory: TemporaryDirectory
    let issuer: GatewayIssuer
    let port = FreePort.next()
    let metrics = FreePort.next()

    /// One gateway of an issuer, by default of a new one.
    init(of issuer: GatewayIssuer? = nil) throws {
        directory = try TemporaryDirectory()
        self.issuer = try issuer ?? GatewayIssuer()
    }

    func write(
        trusted: String = "127.0.0.1",
        rules: String = #"{ "path": "/notes/**", "scope": "notes:read" }"#,
        more: String = ""
    ) throws {
        try directory.write(
            """
            { "listen": "127.0.0.1:\(port)", "proxy": ["caddy"], "trustedProxies": ["\(trusted)"], \(more)
              "metricsListen": "127.0.0.1:\(metrics)", "issuer": "\(issuer.address)",
              "allowInsecureLoopbackIssuer": true, "logFormat": "json",
              "apis": [{ "address": "\(Self.api)", "rules": [\(rules)] }] }
            """,
            to: "gateway.json"
        )
    }

    func start() async throws -> KeyboundProcess {
        let process = try KeyboundProcess(["gateway", "--config", "gateway.json"], in: directory)
        _ = try await process.line(beginningWith: "listening")
        return process
    }

    func get(_ path: String, port: UInt16, _ fields: [String] = []) async throws -> RawResponse {
        let lines = ["GET \(path) HTTP/1.1", "Host: a", "Connection: close"] + fields
        return try await blocking {
            let connection = try RawConnection(port: port, timeout: 60)
            try connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
            return try #require(try connection.receive())
        }
    }

    /// Asks about a request with a good token.
    func ask(
        _ target: String = "/notes",
        token: String? = nil,
        nonce: String? = nil,
        more: [String] = []
    ) async throws
        -> RawResponse
    {
        let presented = if let token { token } else { try await issuer.token(for: Self.api) }
        let proof = try await issuer.proof("GET", Self.api + target, presented, nonce: nonce)
        return try await present(proof, presented, target, more: more)
    }

    /// Asks about a request with a proof that was made before.
    func present(
        _ proof: String,
        _ token: String,
        _ target: String = "/notes",
        more: [String] = []
    ) async throws -> RawResponse {
        try await get(
            "/check",
            port: port,
            [
                "X-Forwarded-Method: GET", "X-Forwarded-Proto: https", "X-Forwarded-Host: api.example.com",
                "X-Forwarded-Uri: \(target)", "Authorization: DPoP \(token)", "DPoP: \(proof)",
            ] + more
        )
    }

    func nonce() async throws -> String {
        for _ in 0..<1200 {
            if let nonce = try await ask().field("DPoP-Nonce") { return nonce }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw GatewayScene.NoNonce()
    }

    /// Whether it gets the keys of the issuer; it fetches them after it began to listen.
    func becomesReady() async throws -> Bool {
        for _ in 0..<1200 {
            if try await get("/ready", port: metrics).status == 200 { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    func metric(_ line: String) async throws -> String? {
        let text = try await get("/metrics", port: metrics).text
        return text.split(separator: "\n").first { $0.hasPrefix(line) }.map { String($0.dropFirst(line.count + 1)) }
    }

    func stop(_ process: KeyboundProcess) async -> KeyboundProcess.Result {
        process.terminate()
        let result = await process.result()
        await issuer.stop()
        return result
    }
}
#endif
