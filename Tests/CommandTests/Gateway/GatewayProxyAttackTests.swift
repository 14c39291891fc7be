// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway behind real proxies: attacks")
struct GatewayProxyAttackTests: GatewayProxyExpectations {
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: fields of the client count for nothing`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let harmless = [
                ["X-Keybound-Subject: root", "x-keybound-scope: admin"],
                ["X_Keybound_Subject: root", "X-Keybound_Scope: admin"],
                ["X-Forwarded-Method: POST", "X-HTTP-Method-Override: POST"], ["X-Forwarded-Host: evil.test"],
                ["X-Forwarded-Proto: gopher"], ["X_Forwarded_Uri: /health"],
                [
                    "X-Original-URL: /admin", "X-Rewrite-URL: /admin", "X-HTTP-Method: DELETE",
                    "X-Method-Override: DELETE",
                ],
                ["X-Keybound-Status: 200", "X-Keybound-Nonce: evil"],
                // What programs read like a field with hyphens.
                ["X.Keybound.Subject: root", "X~Keybound~Scope: admin", "X-Keybound^Subject: root"],
                ["X_HTTP_Method_Override: POST", "X.Original.URL: /admin", "X_Original-URL: /admin"],
            ]
            for fields in harmless {
                let answer = try await scene.send(scene.request(fields: fields, nonce: nonce))
                expectIdentity(answer, "\(fields)")
                for name in [
                    "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override",
                ] {
                    #expect(answer.received?.values(name) == [], "\(name)")
                }
                let names = answer.received?.fields.compactMap(\.first) ?? []
                #expect(names.filter { $0.contains { !$0.isLetter && !$0.isNumber && $0 != "-" } } == [], "\(fields)")
                #expect(answer.values("DPoP-Nonce") == [], "\(fields)")
            }
            for field in ["X-Forwarded-Uri: /health", "X_Forwarded_Uri: /health", "X-Original-URI: /health"] {
                let answer = try await scene.send(
                    scene.request(
                        "/payments",
                        authorization: .some(nil),
                        proof: .some(nil),
                        fields: [field],
                        nonce: nonce
                    )
                )
                expectRefusal(answer, [401], "\(field)")
            }
            for names in ["X-Keybound-Subject, X-Keybound-Scope", "X-Keybound-Subject"] {
                let answer = try await scene.send(scene.request(connection: names, nonce: nonce))
                #expect([200, 400].contains(answer.status), "Connection: \(names)")
                if answer.reached > 0 { expectIdentity(answer, "Connection: \(names)") }
            }
            let hop = try await scene.send(
                scene.request(
                    "/payments",
                    connection: "X-Forwarded-Uri, X-Forwarded-Method, Authorization, DPoP",
                    nonce: nonce
                )
            )
            expectRefusal(hop, [400, 401, 403, 503], "Connection names what the gateway reads")
        }
    }

    /// RFC 9110 section 7.8: behind a connection that changed its protocol, no proxy reads requests any more.
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: no connection changes to another protocol than WebSocket`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let settings = "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA"
            let attempts: [(fields: [String], connection: String)] = [
                (["Upgrade: h2c", settings], "Upgrade, HTTP2-Settings"), (["Upgrade: h2c", settings], "Upgrade"),
                (["Upgrade: H2C"], "upgrade"), (["Upgrade: websocket, h2c", settings], "Upgrade, HTTP2-Settings"),
                (["Upgrade: h2c, websocket"], "Upgrade"), (["Upgrade: websockets"], "Upgrade"),
                (["Upgrade: h2c", "Upgrade: websocket"], "Upgrade"),
                (["Upgrade: websocket", "Upgrade: h2c"], "Upgrade"),
                (["Upgrade: TLS/1.0"], "Upgrade"), ([settings], "HTTP2-Settings"),
            ]
            for (fields, connection) in attempts {
                for target in ["/notes", "/health"] {
                    let answer = try await scene.send(
                        scene.request(target, fields: fields, connection: connection, nonce: nonce)
                    )
                    // If it changes at all, then to the one protocol.
                    let isWebSocket = answer.status == 101 && answer.values("Upgrade") == ["websocket"]
                    #expect(isWebSocket || [200, 400, 403].contains(answer.status), "\(fields): \(answer.head)")
                    let received = answer.received
                    #expect(received?.values("HTTP2-Settings") ?? [] == [], "\(fields)")
                    #expect(received?.values("Upgrade") ?? [] == [], "\(fields)")
                }
            }
        }
    }

    /// RFC 9110 section 6.5.1: fields behind the body are no header fields.
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all.filter { $0.name != "haproxy" })
    func `attack: fields behind the body do not reach the API`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let token = try await scene.issuer.token(for: scene.address) { $0["scope"] = "notes:write" }
            let head = try await scene.request(
                method: "POST",
                authorization: "DPoP \(token)",
                fields: ["Transfer-Encoding: chunked", "Trailer: X-Keybound-Subject"],
                nonce: nonce
            )
            let body = "3\r\nabc\r\n0\r\nX-Keybound-Subject: root\r\nX_Keybound_Subject: root\r\n\r\n"
            let answer = try await scene.send(head + Array(body.utf8))
            #expect([200, 400].contains(answer.status))
            #expect(!answer.body.contains("root"), "\(answer.body)")
        }
    }

    /// Envoy repeats requests for clients that it takes for its own (x-envoy-retry-on).
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: a client has no request repeated, and sees no field that is meant for the proxy`(
        _ proxy: Proxy
    ) async throws {
        try await with(proxy) { scene, nonce in
            let steering = ["x-envoy-retry-on: 5xx", "x-envoy-max-retries: 3", "x-envoy-original-path: /health"]
            let broken = try await scene.send(scene.request("/broken", fields: steering, nonce: nonce))
            #expect(broken.status == 500)
            #expect(broken.reached == 1)
            for (target, status) in [("/notes", 200), ("/notes/", 200), ("/other", 403), ("/payments", 401)] {
                let answer = try await scene.send(scene.request(target, fields: steering, nonce: nonce))
                #expect(answer.status == status)
                #expect(!answer.head.lowercased().contains("\r\nx-keybound"), "\(answer.head)")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: paths that could be read in two ways, and other hosts`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let base = scene.address
            let targets = [
                "/notes/a%2Fb", "/notes/../payments", "/notes/%2e%2e/payments", "/notes/..;/payments",
                "//evil.test/notes",
                "/notes//x", "/notes%00", "/notes\\..\\payments", "/notes/%zz", "/notes/%252e%252e/payments",
                "/notes#x",
                "/notes/%C0%AF", "/notes;x=1", "/notes/.%2e/payments", "/notes%5c..%5cpayments",
            ]
            for target in targets {
                for signed in ["/notes", "/payments"] {
                    let answer = try await scene.send(scene.request(target, signing: base + signed, nonce: nonce))
                    expectRefusal(answer, [400, 401, 403], "\(target)")
                }
            }
            let latin = try await scene.request("/notes/LATIN", signing: base + "/notes", nonce: nonce)
            let bytes = latin.split(separator: Array("LATIN".utf8), maxSplits: 1).joined(separator: [0xE9])
            expectRefusal(try await scene.send(Array(bytes)), [400, 401, 403], "a byte beyond ASCII")
            let admin = try await scene.send(scene.request("/ADMIN/", nonce: nonce))
            expectRefusal(admin, [403], "capitals")
            let slash = try await scene.send(scene.request("/notes/", signing: base + "/notes", nonce: nonce))
            expectRefusal(slash, [401], "a trailing slash is another path")
            for host in ["evil.test", "127.0.0.1.evil.test"] {
                let answer = try await scene.send(scene.request(host: host, nonce: nonce))
                expectRefusal(answer, [400, proxy.facts.otherHost], "Host: \(host)")
            }
            let absolute = try await scene.send(
                scene.request("http://evil.test/notes", signing: base + "/notes", nonce: nonce)
            )
            expectRefusal(absolute, [400, 401, 403, proxy.facts.otherHost], "absolute form of another host")
            for path in ["/_keybound", "/check", "/check/nginx"] {
                let answer = try await scene.send(
                    scene.request(path, authorization: .some(nil), proof: .some(nil), nonce: nonce)
                )
                expectRefusal(answer, [401, 403, 404], "\(path)")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: tokens and proofs that are wrong`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let base = scene.address
            let used = try await scene.request(nonce: nonce)
            expectIdentity(try await scene.send(used), "the first time")
            expectRefusal(try await scene.send(used), [401], "a used proof")
            let requests: [(String, [UInt8])] = [
                ("two proofs", try await scene.request(fields: ["DPoP: x.y.z"], nonce: nonce)),
                ("another method", try await scene.request(signedMethod: "POST", nonce: nonce)),
                ("another path", try await scene.request(signing: base + "/notes/1", nonce: nonce)),
                ("another host", try await scene.request(signing: "http://evil.test/notes", nonce: nonce)),
                (
                    "another scheme",
                    try await scene.request(signing: "https://127.0.0.1:\(scene.port)/notes", nonce: nonce)
                ),
                ("another port", try await scene.request(signing: "http://127.0.0.1:1/notes", nonce: nonce)),
                ("a made-up nonce", try await scene.request(nonce: "made-up")),
                ("no proof", try await scene.request(proof: .some(nil), nonce: nonce)),
            ]
            for (name, request) in requests { expectRefusal(try await scene.send(request), [401], "\(name)") }
            let proof = try await scene.request(nonce: nonce)
            let two = try await scene.send(
                Array(
                    String(decoding: proof, as: UTF8.self).replacing(
                        "\r\n\r\n",
                        with: "\r\nAuthorization: DPoP x\r\n\r\n"
                    ).utf8
                )
            )
            expectRefusal(two, [400, 401], "two tokens")
            let tokens: [(String, String)] = [
                ("another issuer", try await scene.issuer.token(for: base) { $0["iss"] = "https://evil.test" }),
                ("another audience", try await scene.issuer.token(for: "https://other.test")),
                ("expired", try await scene.issuer.token(for: base) { $0["exp"] = 1_700_000_000 }),
                ("unknown key", try await scene.issuer.token(for: base, kid: "key-9")),
                ("not bound", try await scene.issuer.token(for: base) { $0["cnf"] = nil }),
                (
                    "bound to another key",
                    try await scene.issuer.token(for: base) {
                        $0["cnf"] = ["jkt": .string(String(repeating: "A", count: 43))]
                    }
                ),
            ]
            for (name, token) in tokens {
                let answer = try await scene.send(scene.request(authorization: "DPoP \(token)", nonce: nonce))
                expectRefusal(answer, [401], "\(name)")
                #expect(
                    answer.values("WWW-Authenticate").first?.contains("error=\"invalid_token\"") ?? false,
                    "\(name)"
                )
            }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: bodies stay away from the gateway, and messages that two programs read differently`(
        _ proxy: Proxy
    ) async throws {
        try await with(proxy) { scene, nonce in
            let long = try await scene.send(
                scene.request(method: "POST", nonce: nonce, body: String(repeating: "y", count: 4096))
            )
            // A question with a body is answered 413, which the client would see as 503.
            expectRefusal(long, [403], "a body")
            let chunked = try await scene.request(method: "POST", fields: ["Transfer-Encoding: chunked"], nonce: nonce)
            expectRefusal(try await scene.send(chunked + Array("3\r\nabc\r\n0\r\n\r\n".utf8)), [403], "chunks")
            let both = try await scene.request(
                fields: ["Content-Length: 4", "Transfer-Encoding: chunked"],
                nonce: nonce
            )
            let smuggled = try await scene.send(
                both + Array("0\r\n\r\nGET /payments HTTP/1.1\r\nHost: 127.0.0.1:\(scene.port)\r\n\r\n".utf8)
            )
            #expect(smuggled.reached <= 1)
            if smuggled.reached == 1 { expectIdentity(smuggled, "length and chunks") }
            let odd = try await scene.request(
                fields: ["Content-Length: 0", "Transfer-Encoding: xchunked"],
                nonce: nonce
            )
            expectRefusal(try await scene.send(odd), [400, 501], "an unknown coding")
            let allowed = try await scene.issuer.token(for: scene.address) { $0["scope"] = "notes:write" }
            let written = try await scene.send(
                scene.request(
                    method: "POST",
                    authorization: "DPoP \(allowed)",
                    nonce: nonce,
                    body: String(repeating: "y", count: 100_000)
                )
            )
            #expect(written.status == 200)
            #expect(written.received?.body == 100_000)
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: without the gateway nothing passes, and after its restart old proofs need a nonce`(
        _ proxy: Proxy
    ) async throws {
        let scene = try await GatewayScene(proxy)
        let first = try await scene.startGateway()
        let nonce = try await scene.nonce()
        let used = try await scene.request(nonce: nonce)
        expectIdentity(try await scene.send(used), "before")
        first.kill()
        _ = await first.result()
        for target in ["/notes", "/health"] {
            let dead = try await scene.send(scene.request(target, nonce: nonce))
            expectRefusal(dead, [proxy.facts.unavailable], "the gateway is dead: \(target)")
            #expect(dead.values("Retry-After") == (proxy.facts.unavailable == 503 ? ["2"] : []))
        }
        // The file of the killed process is still there.
        let second = try await scene.startGateway()
        let again = try await scene.send(used)
        expectRefusal(again, [401], "a proof of before")
        #expect(again.values("WWW-Authenticate").first?.contains("use_dpop_nonce") ?? false)
        let fresh = try await scene.nonce()
        expectIdentity(try await scene.send(scene.request(nonce: fresh)), "after")
        await scene.stop(second)
    }

    @Test(.timeLimit(.minutes(3)))
    func `attack: an error in the action of HAProxy lets nothing pass`() async throws {
        let scene = try await GatewayScene(
            .haproxy,
            lua: { $0.replacing("local received =", with: "error(\"broken on purpose\")\n    local received =") }
        )
        let gateway = try await scene.startGateway()
        let answer = try await scene.send(scene.request("/health", nonce: nil))
        expectRefusal(answer, [503], "a broken action")
        await scene.stop(gateway)
    }
}
#endif
