// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway: the check from outside")
struct GatewayCheckTests {
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

    @Test(.timeLimit(.minutes(2)), arguments: GatewayFault.all)
    func `attack: each configuration that is broken on purpose is found out`(_ fault: GatewayFault) async throws {
        let scene = try await GatewayScene(
            fault.proxy,
            changing: { text in
                let broken = fault.applied(to: text)
                #expect(broken != text)
                return broken
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

    @Test(.timeLimit(.minutes(2)), arguments: GatewayFault.withToken)
    func `attack: a token finds out what is broken on purpose`(_ fault: GatewayFault) async throws {
        let scene = try await GatewayScene(
            fault.proxy,
            changing: { text in
                let broken = fault.applied(to: text)
                #expect(broken != text)
                let cache = fault.replacement.contains("proxy_cache ")
                return (cache ? "proxy_cache_path decisions keys_zone=decisions:1m;\n" : "") + broken
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
