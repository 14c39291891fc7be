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
    private func check(
        _ scene: GatewayScene,
        _ options: [String] = []
    ) async throws -> (status: Int32, verdicts: [String: String]) {
        let arguments =
            [
                "gateway", "check", scene.address + "/notes", "--allow-insecure-loopback", "--echo", "/health",
                "--json",
            ] + options
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
                "location ^~ /check { proxy_pass http://keybound_gateway_127.0.0.1; }\n    location @keybound_refused {",
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
            Fault(.caddy, "request_header \"-*_*\"", ["X_Keybound_Subject at the API"]),
            Fault(.caddy, "request_header \"-*.*\"", ["X.Keybound.Subject at the API"]),
            Fault(.nginx, "ignore_invalid_headers on", "ignore_invalid_headers off", ["X.Keybound.Subject at the API"]),
            Fault(.caddy, "request_header -X-HTTP-Method-Override", ["X-HTTP-Method-Override at the API"]),
            Fault(.nginx, "proxy_set_header Forwarded \"\";", ["Forwarded at the API"]),
            Fault(
                .haproxy,
                "http-request set-header X-Forwarded-Host 127.",
                "http-request set-header X-Other 127.",
                ["X-Forwarded-Host at the API"]
            ),
            Fault(
                .haproxy,
                "http-request del-header [^A-Za-z0-9-] -m reg",
                ["X_Keybound_Subject at the API", "X.Keybound.Subject at the API"]
            ),
            Fault(
                .envoy,
                "- remove_on_match: { key_matcher: { safe_regex: { regex: \"[^:].*[^A-Za-z0-9-].*\" } } }",
                ["X_Keybound_Subject at the API", "X.Keybound.Subject at the API"]
            ),
            Fault(.envoy, "merge_slashes: false", "merge_slashes: true", ["two slashes"]),
            Fault(.envoy, "x-http-method-override, ", ["X-HTTP-Method-Override at the API"]),
            Fault(
                .traefik,
                "|[^a-z0-9-]\"",
                "\"",
                ["X_Keybound_Subject at the API", "X.Keybound.Subject at the API"]
            ),
            Fault(.traefik, "sanitizePath: false", "sanitizePath: true", ["two slashes"]),
            Fault(.traefik, "X-HTTP-Method-Override: \"\", ", ["X-HTTP-Method-Override at the API"]),
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

    /// Runs the check with an account, and returns only what was not found without it.
    private func checkSigned(_ scene: GatewayScene) async throws -> (status: Int32, verdicts: [String: String]) {
        _ = try await SignedInAccount(of: scene.issuer, for: scene.address, in: scene.directory)
        return try await check(scene, ["--account", SignedInAccount.name])
    }

    @Test(.timeLimit(.minutes(2)), arguments: Proxy.all)
    func `printed configurations have no weakness for whoever has a token`(_ proxy: Proxy) async throws {
        let scene = try await GatewayScene(proxy)
        let gateway = try await scene.startGateway()
        _ = try await scene.nonce()
        let (status, verdicts) = try await checkSigned(scene)
        #expect(status == 0)
        #expect(verdicts.count > 70)
        #expect(verdicts["a good request"] == "ok")
        #expect(verdicts.filter { $0.value != "ok" } == [:])
        await scene.stop(gateway)
    }

    /// nginx that keeps the answers of the gateway, with what it remembers them by.
    private static func cached(by key: String, _ attempts: [String]) -> Fault {
        Fault(
            .nginx,
            "internal;\n        proxy_pass http://keybound_gateway_127.0.0.1/check/nginx;",
            """
            internal; proxy_cache decisions; proxy_cache_key \(key); proxy_cache_valid 200 1m;
            proxy_ignore_headers Cache-Control;
            proxy_pass http://keybound_gateway_127.0.0.1/check/nginx;
            """,
            attempts
        )
    }

    private static let signedFaults = [
        cached(
            by: "$http_authorization$http_dpop$request_uri",
            ["the same proof again"]
        ),
        cached(
            by: "$http_authorization",
            [
                "the same proof again", "no proof", "a proof by another key", "a proof for another host",
                "a proof without a nonce", "another final slash than the proof's", "HEAD with a proof for GET",
            ]
        ),
        Fault(.nginx, "proxy_set_header Authorization \"\";", ["Authorization at the API"]),
        Fault(.nginx, "proxy_set_header DPoP \"\";", ["DPoP at the API"]),
        Fault(
            .nginx,
            "add_header DPoP-Nonce $keybound_nonce always;\n        add_header Access-Control-Expose-Headers $keybound_expose always;\n\n",
            "add_header X-Keybound-Subject $keybound_subject always;\n",
            ["the gateway's fields in the answer"]
        ),
        Fault(
            .nginx,
            "proxy_set_header X-Keybound-Acr $keybound_acr;",
            ["X-Keybound-Acr at the API, with a good request"]
        ),
        Fault(
            .caddy,
            "header_up X-Forwarded-Host",
            "header_up X-Forwarded-Method GET\n\t\t\theader_up X-Forwarded-Host",
            ["HEAD with a proof for GET"]
        ),
        Fault(.caddy, "request_header -Authorization", ["Authorization at the API"]),
        Fault(.caddy, "request_header -DPoP", ["DPoP at the API"]),
        Fault(.haproxy, "http-request del-header authorization", ["Authorization at the API"]),
        Fault(.haproxy, "http-request del-header dpop", ["DPoP at the API"]),
        Fault(
            .haproxy,
            "http-request set-var(txn.keybound_uri) pathq",
            "http-request set-var(txn.keybound_uri) str(/notes)",
            ["another final slash than the proof's"]
        ),
    ]

    @Test(.timeLimit(.minutes(2)), arguments: signedFaults)
    func `attack: a token finds out what is broken on purpose`(_ fault: Fault) async throws {
        let scene = try await GatewayScene(
            fault.proxy,
            changing: { text in
                #expect(text.contains(fault.text))
                let cache = fault.replacement.contains("proxy_cache ")
                return (cache ? "proxy_cache_path decisions keys_zone=decisions:1m;\n" : "")
                    + text.replacing(fault.text, with: fault.replacement)
            }
        )
        let gateway = try await scene.startGateway()
        _ = try await scene.nonce()
        let (status, verdicts) = try await checkSigned(scene)
        #expect(status == 1)
        for attempt in fault.attempts { #expect(verdicts[attempt] == "WEAK", "\(attempt): \(verdicts)") }
        await scene.stop(gateway)
    }

    @Test(.timeLimit(.minutes(2)))
    func `attack: the token goes to its API only, and is not printed`() async throws {
        let scene = try await GatewayScene(.nginx)
        let gateway = try await scene.startGateway()
        _ = try await scene.nonce()
        let account = try await SignedInAccount(of: scene.issuer, for: scene.address, in: scene.directory)
        let before = scene.api.requests
        let arguments = ["--allow-insecure-loopback", "--account", SignedInAccount.name]
        let other = try await KeyboundProcess.run(
            ["gateway", "check", "http://127.0.0.1:\(scene.api.port)/notes"] + arguments,
            in: scene.directory
        )
        #expect(other.status == 2)
        #expect(other.errors.contains("add --allow-origin http://127.0.0.1:\(scene.api.port)"))
        #expect(scene.api.requests == before)
        let nobody = try await KeyboundProcess.run(
            ["gateway", "check", scene.address + "/notes", "--allow-insecure-loopback", "--account", "nobody"],
            in: scene.directory
        )
        #expect(nobody.status == 4)
        for json in [[], ["--json"]] {
            let result = try await KeyboundProcess.run(
                ["gateway", "check", scene.address + "/notes", "--echo", "/health"] + arguments + json,
                in: scene.directory
            )
            #expect(result.status == 0, Comment(rawValue: result.errors))
            let said = result.output + result.errors
            for part in account.token.split(separator: ".") { #expect(!said.contains(part)) }
        }
        await scene.stop(gateway)
    }

    @Test func `attack: a token that is bound to no key is not sent`() async throws {
        let directory = try TemporaryDirectory()
        let issuer = try GatewayIssuer()
        let api = "http://127.0.0.1:\(FreePort.next())"
        _ = try await SignedInAccount(of: issuer, for: api, in: directory, isBound: false)
        let result = try await KeyboundProcess.run(
            ["gateway", "check", api + "/notes", "--allow-insecure-loopback", "--account", SignedInAccount.name],
            in: directory
        )
        #expect(result.status == 2)
        #expect(result.errors.contains("bound to no key"))
        await issuer.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func `a token that may not GET the URL is said to be so, and that is no success`() async throws {
        let scene = try await GatewayScene(.nginx)
        let gateway = try await scene.startGateway()
        _ = try await scene.nonce()
        _ = try await SignedInAccount(of: scene.issuer, for: scene.address, in: scene.directory) {
            $0["scope"] = "other"
        }
        let result = try await KeyboundProcess.run(
            [
                "gateway", "check", scene.address + "/notes", "--allow-insecure-loopback", "--account",
                SignedInAccount.name,
            ],
            in: scene.directory
        )
        #expect(result.status == 1)
        #expect(result.output.contains("?    a good request\n     the answer is 403 (insufficient_scope, notes:read)"))
        #expect(result.errors.contains("nothing could be tried with the token of the account"))
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
