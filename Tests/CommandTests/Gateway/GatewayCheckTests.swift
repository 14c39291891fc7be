// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway: the check from outside")
struct GatewayCheckTests {
    /// A configuration that was broken on purpose, and the attempts that must find it.
    struct Fault: Sendable, CustomTestStringConvertible {
        let proxy: Proxy
        let text: String
        let replacement: String
        let attempts: [String]

        init(_ proxy: Proxy, _ text: String, _ attempts: [String]) {
            self.init(proxy, text, "", attempts)
        }

        init(_ proxy: Proxy, _ text: String, _ replacement: String, _ attempts: [String]) {
            self.proxy = proxy
            self.text = text
            self.replacement = replacement
            self.attempts = attempts
        }

        var testDescription: String { "\(proxy.name): \(text)" }
    }

    /// Runs the check, and returns its exit status and the verdict of each attempt.
    private func check(_ scene: GatewayScene) async throws -> (status: Int32, verdicts: [String: String]) {
        let arguments = [
            "gateway", "check", scene.address + "/notes", "--allow-insecure-loopback", "--echo", "/health", "--json",
        ]
        let result = try await KeyboundProcess.run(arguments, in: scene.directory)
        let entries = try JSONValue(parsing: Array(result.output.utf8)).arrayValue ?? []
        var verdicts: [String: String] = [:]
        for entry in entries.compactMap(\.objectValue) {
            verdicts[entry["attempt"]?.stringValue ?? ""] = entry["verdict"]?.stringValue
        }
        return (result.status, verdicts)
    }

    @Test(.timeLimit(.minutes(2)), arguments: Proxy.all)
    func `printed configurations have no weakness`(_ proxy: Proxy) async throws {
        let scene = try await GatewayScene(proxy)
        let gateway = try await scene.startGateway()
        _ = try await scene.nonce()
        let (status, verdicts) = try await check(scene)
        #expect(status == 0)
        #expect(verdicts.count > 30)
        #expect(verdicts.filter { $0.value != "ok" } == [:])
        await scene.stop(gateway)
    }

    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            Fault(
                .nginx,
                "proxy_set_header X-Forwarded-Uri $request_uri;",
                "set $u $request_uri; if ($http_x_forwarded_uri) { set $u $http_x_forwarded_uri; }\n"
                    + "proxy_set_header X-Forwarded-Uri $u;",
                ["X-Forwarded-Uri of the client"]
            ),
            Fault(
                .nginx,
                "proxy_set_header X-Forwarded-Host $host;\n        proxy_set_header X-Forwarded-Uri",
                "set $h $host; if ($http_x_forwarded_host) { set $h $http_x_forwarded_host; }\n"
                    + "proxy_set_header X-Forwarded-Host $h;\n        proxy_set_header X-Forwarded-Uri",
                ["X-Forwarded-Host of the client"]
            ),
            Fault(
                .nginx,
                "location @keybound_refused {",
                "location ^~ /check { proxy_pass http://keybound; }\n    location @keybound_refused {",
                ["the gateway's path /check/nginx"]
            ),
            Fault(.nginx, "auth_request /_keybound;", ["a request without a token"]),
            Fault(.nginx, "underscores_in_headers off", "underscores_in_headers on", ["X_Keybound_Subject at the API"]),
            Fault(.nginx, "proxy_set_header X-Keybound-Client $keybound_client;", ["X-Keybound-Client at the API"]),
            Fault(.nginx, "403 $keybound_challenge; default ''", "default $keybound_challenge", ["the challenge"]),
            Fault(
                .caddy,
                "header_up X-Forwarded-Uri {http.request.orig_uri}",
                "header_up X-Forwarded-Uri {http.request.uri.path}",
                ["an encoded slash"]
            ),
            Fault(.caddy, "request_header -X_Keybound*", ["X_Keybound_Subject at the API"]),
            Fault(.caddy, "request_header -X-HTTP-Method-Override", ["X-HTTP-Method-Override at the API"]),
            Fault(.haproxy, "^x[-_]keybound[-_] -m reg", "^x-keybound- -m reg", ["X_Keybound_Subject at the API"]),
            Fault(
                .haproxy,
                "set-var(txn.keybound_uri) pathq",
                "set-var(txn.keybound_uri) path,url_dec",
                ["an encoded slash"]
            ),
        ]
    )
    func `attack: each configuration that is broken on purpose is found out`(_ fault: Fault) async throws {
        let scene = try await GatewayScene(
            fault.proxy,
            changing: { text in
                #expect(text.contains(fault.text))
                return text.replacing(fault.text, with: fault.replacement)
            }
        )
        let gateway = try await scene.startGateway()
        try await Task.sleep(for: .milliseconds(300))
        let (status, verdicts) = try await check(scene)
        #expect(status == 1)
        for attempt in fault.attempts { #expect(verdicts[attempt] == "WEAK", "\(attempt): \(verdicts)") }
        await scene.stop(gateway)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a proxy that does not say what it was asked cannot be checked, and that is no success`() async throws {
        let scene = try await GatewayScene(
            .nginx,
            changing: { $0.replacing("proxy_set_header X-Forwarded-Uri $request_uri;", with: "") }
        )
        let gateway = try await scene.startGateway()
        let (status, verdicts) = try await check(scene)
        #expect(status == 1)
        #expect(verdicts == ["a request without a token": "?"])
        await scene.stop(gateway)
    }

    @Test func `hosts beyond this machine are asked about first`() async throws {
        let directory = try TemporaryDirectory()
        let result = try await KeyboundProcess.run(
            ["gateway", "check", "https://api.example.invalid/notes"],
            in: directory
        )
        #expect(result.status == 2)
        #expect(result.errors.contains("--yes"))
        let plain = try await KeyboundProcess.run(
            ["gateway", "check", "http://api.example.invalid/notes", "--yes", "--allow-insecure-loopback"],
            in: directory
        )
        #expect(plain.status == 2)
    }
}
#endif
