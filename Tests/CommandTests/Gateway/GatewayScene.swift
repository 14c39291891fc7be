// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import OAuthSystem
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// An issuer, a gateway, a proxy and an API, all real and on free ports, and a client that sends bytes.
final class GatewayScene: Sendable {
    let directory: TemporaryDirectory
    let issuer: GatewayIssuer
    let api: EchoAPI
    let address: String
    /// Where a second API is, which has the rules of the first.
    let secondAddress: String
    let port: UInt16
    let kind: Proxy
    private let proxy: ChildProcess
    private let isStopped = Atomic<Bool>(false)

    /// What the client got.
    struct Answer {
        let status: Int
        let head: String
        let body: String
        /// How many requests reached the API meanwhile.
        let reached: Int

        func values(_ name: String) -> [String] {
            head.split(separator: "\r\n").dropFirst().compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }

        /// What the API received, if it answered.
        var received: EchoAPI.Received? {
            guard let start = body.firstIndex(of: "{"), let end = body.lastIndex(of: "}") else { return nil }
            return try? JSONDecoder().decode(EchoAPI.Received.self, from: Data(body[start...end].utf8))
        }
    }

    /// Starts all but the gateway; with `upstream`, the port of another API than ``api``; with `second`, an API beside it
    /// at ``secondAddress``; with `more` options of `keybound gateway config`; with `claims` by the names of their fields;
    /// secure with TLS, and so HTTP/2.
    init(
        _ kind: Proxy,
        upstream: UInt16? = nil,
        second: EchoAPI? = nil,
        options more: [String] = [],
        claims: [String: String] = [:],
        isSecure: Bool = false,
        changing change: (String) -> String = { $0 },
        lua: (String) -> String = { $0 }
    ) async throws {
        self.kind = kind
        directory = try TemporaryDirectory()
        issuer = try GatewayIssuer()
        api = try await EchoAPI(in: directory)
        port = FreePort.next()
        address = isSecure ? "https://api.example.com:\(port)" : "http://127.0.0.1:\(port)"
        secondAddress = "https://files.example.com:\(port)"
        let files = isSecure ? try await Self.makeCertificate(in: directory) : []
        let others =
            if let second { ["--api", secondAddress, "--upstream", "127.0.0.1:\(second.port)"] + files } else {
                [] as [String]
            }
        let named = claims.keys.sorted().flatMap { ["--field", $0] }
        let gateway =
            kind.facts.hasUnixSockets ? "unix:\(directory.path)/gateway.sock" : "127.0.0.1:\(FreePort.next())"
        let options =
            [
                "gateway", "config", kind.name, "--api", address, "--upstream", "127.0.0.1:\(upstream ?? api.port)",
                "--gateway", gateway,
            ] + files + others + more + named
        if kind.name == "haproxy" {
            let action = try await KeyboundProcess.run(options + ["--lua"], in: directory)
            try directory.write(lua(action.output), to: "keybound.lua")
        }
        let lua = kind.name == "haproxy" ? ["--lua-file", directory.path + "/keybound.lua"] : []
        let configuration = try await KeyboundProcess.run(options + lua, in: directory)
        try #require(configuration.status == 0, "\(configuration.errors)")
        // What Caddy would do for all sites, such as to listen on port 80, is not of this file.
        let surroundings = isSecure && kind.name == "caddy" ? "{\n\tadmin off\n\tauto_https off\n}\n" : ""
        proxy = try kind.start(surroundings + change(configuration.output), in: directory)
        try directory.write(
            Self.settings(
                kind,
                issuer: issuer.address,
                apis: [address] + (second == nil ? [] : [secondAddress]),
                claims,
                gateway
            ),
            to: "gateway.json"
        )
        try await waitForProxy()
    }

    /// Makes a certificate, in one file with its key as HAProxy wants it; returns the options that name them.
    private static func makeCertificate(in directory: TemporaryDirectory) async throws -> [String] {
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c",
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=api.example.com "
                    + "-keyout server.key -out server.pem && cat server.key >>server.pem",
            ],
            environment: ["PATH": "/usr/bin:/bin", "HOME": directory.path],
            directory: directory.path
        )
        let result = await process.result()
        try #require(result.status == 0, "\(result.errors)")
        return ["--certificate", directory.path + "/server.pem", "--key", directory.path + "/server.key"]
    }

    /// Starts the gateway, and waits until it listens and has keys.
    func startGateway() async throws -> KeyboundProcess {
        let gateway = try KeyboundProcess(["gateway", "--config", "gateway.json"], in: directory)
        do {
            _ = try await gateway.line(beginningWith: "listening")
        } catch {
            await stop(gateway)
            throw error
        }
        return gateway
    }

    private static func settings(
        _ kind: Proxy,
        issuer: String,
        apis: [String],
        _ claims: [String: String],
        _ gateway: String
    ) -> String {
        let access = kind.facts.hasUnixSockets ? "\"socketMode\": \"0666\"" : "\"trustedProxies\": [\"127.0.0.1\"]"
        return """
            { "listen": "\(gateway)", \(access), "proxy": ["\(kind.name)"],
              "issuer": "\(issuer)", "allowInsecureLoopbackIssuer": true, "logFormat": "json", "logLevel": "info",
              "apis": [\(apis.map { rules($0, claims) }.joined(separator: ", "))] }
            """
    }

    private static func rules(_ api: String, _ claims: [String: String]) -> String {
        let members = claims.map { "\"\($0.key)\": \"\($0.value)\"" }.joined(separator: ", ")
        return """
            { "address": "\(api)", "claims": { \(members) }, "rules": [
                { "path": "/health", "methods": ["GET"], "open": true },
                { "path": "/admin", "scope": "admin" },
                { "path": "/notes/**", "methods": ["GET"], "scope": "notes:read" },
                { "path": "/notes/**", "scope": "notes:write" },
                { "path": "/payments/**", "scope": "payments", "acr": ["mfa"], "maxAge": "5m" },
                { "path": "/import/*/rows", "methods": ["POST"], "bearer": true },
                { "path": "/broken", "scope": "notes:read" }
              ] }
            """
    }

    private func waitForProxy() async throws {
        // A minute: the machine may be busy, and Envoy is large.
        for _ in 0..<6000 {
            if try await isReady() { return }
            try #require(!proxy.isSilent, "\(proxy.errorsSoFar)")
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("the proxy does not listen: \(proxy.errorsSoFar)")
    }

    /// Whether the proxy listens, and has read all of its configuration.
    private func isReady() async throws -> Bool {
        guard (try? RawConnection(port: port, timeout: 5)) != nil else { return false }
        guard kind.facts.readsWhileListening, address.hasPrefix("http:") else { return true }
        return try await send(Array("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8)).status
            != 404
    }

    deinit {
        // A test that failed before it could stop them.
        if !isStopped.load(ordering: .relaxed) { proxy.kill() }
    }

    func stop(_ gateway: KeyboundProcess?) async {
        isStopped.store(true, ordering: .relaxed)
        gateway?.terminate()
        if kind.facts.endsWhenAsked { proxy.terminate() } else { proxy.kill() }
        if let gateway { _ = await gateway.result() }
        await api.stop()
        _ = await proxy.result()
        await issuer.stop()
    }

    /// Sends bytes and reads the first response; after 101, until the connection closes.
    func send(_ bytes: [UInt8]) async throws -> Answer {
        let before = api.requests
        let text = try await blocking { [port] in
            let connection = try RawConnection(port: port, timeout: 18)
            try connection.send(bytes)
            guard let response = try? connection.receive() else { return "" }
            let rest = response.head.contains(" 101 ") ? try connection.receiveAll() : ""
            return response.head + "\r\n\r\n" + response.text + rest
        }
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let status = text.hasPrefix("HTTP/1.") ? Int(text.dropFirst(9).prefix(3)) ?? 0 : 0
        return Answer(
            status: status,
            head: parts.first.map(String.init) ?? "",
            body: parts.count > 1 ? String(parts[1]) : "",
            reached: api.requests - before
        )
    }

    /// The bytes of a request, with a good token and a good proof unless something else is given.
    func request(
        _ target: String = "/notes",
        method: String = "GET",
        authorization: String?? = .none,
        proof: String?? = .none,
        signing uri: String? = nil,
        signedMethod: String? = nil,
        host: String? = nil,
        fields: [String] = [],
        connection: String = "close",
        nonce: String?,
        body: String = ""
    ) async throws -> [UInt8] {
        let token = try await issuer.token(for: address)
        let presented = authorization ?? "DPoP \(token)"
        let bare = presented.map { String($0.split(separator: " ").last ?? "") } ?? ""
        var lines = [
            "\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: \(connection)",
        ]
        if let presented { lines.append("Authorization: \(presented)") }
        let made: String? =
            if let proof { proof } else {
                try await issuer.proof(
                    signedMethod ?? method,
                    uri ?? address + target.prefix { $0 != "?" },
                    bare,
                    nonce: nonce
                )
            }
        if let made { lines.append("DPoP: \(made)") }
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        return Array(((lines + fields).joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    /// A nonce of the gateway.
    func nonce() async throws -> String {
        for _ in 0..<200 {
            let answer = try await send(request(nonce: nil))
            if let nonce = answer.values("DPoP-Nonce").first {
                #expect(answer.status == 401)
                #expect(answer.values("WWW-Authenticate").first?.contains("use_dpop_nonce") ?? false)
                return nonce
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw NoNonce()
    }

    struct NoNonce: Error {}
}
#endif
