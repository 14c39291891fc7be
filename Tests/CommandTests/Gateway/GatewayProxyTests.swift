// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway behind real proxies")
struct GatewayProxyTests {
    /// Runs a test with everything started.
    private func with(_ proxy: Proxy, _ body: (GatewayScene, String) async throws -> Void) async throws {
        let scene = try await GatewayScene(proxy)
        let gateway = try await scene.startGateway()
        do {
            try await body(scene, try await scene.nonce())
        } catch {
            await scene.stop(gateway)
            throw error
        }
        await scene.stop(gateway)
    }

    private func expectIdentity(_ answer: GatewayScene.Answer, _ comment: Comment) {
        #expect(answer.status == 200, comment)
        let received = answer.received
        #expect(received?.values("X-Keybound-Subject") == ["alice"], comment)
        #expect(received?.values("X-Keybound-Client") == ["app"], comment)
        #expect(received?.values("X-Keybound-Scope") == ["notes:read payments"], comment)
        #expect(received?.values("X-Keybound-Acr") == ["-"], comment)
        #expect(received?.wsgi["HTTP_X_KEYBOUND_SUBJECT"] == "alice", comment)
        #expect(received?.wsgi["HTTP_X_KEYBOUND_SCOPE"] == "notes:read payments", comment)
        for name in ["Authorization", "DPoP", "X-Keybound-Nonce"] { #expect(received?.values(name) == [], comment) }
    }

    /// Refused, and the API was not reached.
    private func expectRefusal(_ answer: GatewayScene.Answer, _ statuses: [Int], _ comment: Comment) {
        #expect(statuses.contains(answer.status), "\(comment): \(answer.status)")
        #expect(answer.reached == 0, comment)
        #expect(answer.received == nil, comment)
        #expect(answer.values("WWW-Authenticate").count <= 1, comment)
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `honest requests reach the API with their identity, bytes unchanged`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            for target in ["/notes", "/notes?a=b%2Fc&d", "/notes/%7Eme%20x", "/notes/%c3%a9", "/notes/"] {
                let answer = try await scene.send(scene.request(target, nonce: nonce))
                expectIdentity(answer, "\(target)")
                #expect(answer.received?.line == "GET \(target) HTTP/1.1")
                #expect(answer.values("DPoP-Nonce") == [])
            }
            let host = try await scene.send(scene.request(host: "127.0.0.1.", nonce: nonce))
            expectIdentity(host, "a final dot")
            let token = try await scene.issuer.token(for: scene.address)
            let lower = try await scene.send(scene.request(authorization: "dpop \(token)", nonce: nonce))
            expectIdentity(lower, "scheme in lower case")
            let open = try await scene.send(scene.request("/health", authorization: .some(nil), proof: .some(nil), nonce: nonce))
            #expect(open.status == 200)
            #expect(open.received?.values("X-Keybound-Subject") == ["-"])
            let broken = try await scene.send(scene.request("/broken", nonce: nonce))
            #expect(broken.status == 500)
            #expect(broken.values("Retry-After") == [])
            let socket = try await scene.send(
                scene.request(fields: Self.webSocket, connection: "Upgrade", nonce: nonce)
            )
            #expect(socket.status == 101)
            #expect(socket.body == "hello")
        }
    }

    private static let webSocket = [
        "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `refusals have the exact challenge, once`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let nobody = try await scene.send(scene.request(authorization: .some(nil), proof: .some(nil), nonce: nonce))
            expectRefusal(nobody, [401], "no credentials")
            let challenge = try #require(nobody.values("WWW-Authenticate").first)
            #expect(challenge.hasPrefix("DPoP scope=\"notes:read\", algs=\""))
            #expect(challenge.contains("resource_metadata=\"\(scene.address)/.well-known/oauth-protected-resource/notes\""))
            #expect(nobody.values("Access-Control-Expose-Headers").joined().contains("WWW-Authenticate"))
            #expect(nobody.values("Cache-Control").contains("no-store"))
            let post = try await scene.send(scene.request(method: "POST", nonce: nonce, body: "x=1"))
            expectRefusal(post, [403], "scope")
            #expect(post.values("WWW-Authenticate").first?.contains("error=\"insufficient_scope\"") ?? false)
            #expect(post.values("WWW-Authenticate").first?.contains("scope=\"notes:write\"") ?? false)
            let weak = try await scene.send(scene.request("/payments", nonce: nonce))
            expectRefusal(weak, [401], "step-up")
            #expect(weak.values("WWW-Authenticate").first?.contains("acr_values=\"mfa\", max_age=\"300\"") ?? false)
            let query = try await scene.send(scene.request("/notes?access_token=x", nonce: nonce))
            expectRefusal(query, [400], "token in the query")
            #expect(query.values("WWW-Authenticate").first?.contains("invalid_request") ?? false)
            let token = try await scene.issuer.token(for: scene.address)
            let bearer = try await scene.send(
                scene.request(authorization: "Bearer \(token)", proof: .some(nil), nonce: nonce)
            )
            expectRefusal(bearer, [401], "bound token as Bearer")
            #expect(bearer.values("WWW-Authenticate").first?.hasPrefix("Bearer error=\"invalid_token\"") ?? false)
            #expect(bearer.values("WWW-Authenticate").first?.contains("DPoP algs=") ?? false)
            let rule = try await scene.send(scene.request("/other", nonce: nonce))
            expectRefusal(rule, [403], "no rule")
            let upgrade = try await scene.send(
                scene.request(authorization: .some(nil), proof: .some(nil), fields: Self.webSocket, connection: "Upgrade", nonce: nonce)
            )
            expectRefusal(upgrade, [401], "WebSocket without a token")
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `step-up, bearer tokens, preflights and metadata`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let strong = try await scene.issuer.token(for: scene.address) { claims in
                claims["acr"] = "mfa"
                claims["auth_time"] = claims["iat"]
            }
            let payment = try await scene.send(scene.request("/payments/1", authorization: "DPoP \(strong)", nonce: nonce))
            #expect(payment.status == 200)
            #expect(payment.received?.values("X-Keybound-Acr") == ["mfa"])
            let unbound = try await scene.issuer.token(for: scene.address) { $0["cnf"] = nil }
            let rows = try await scene.send(
                scene.request(
                    "/import/7/rows",
                    method: "POST",
                    authorization: "Bearer \(unbound)",
                    proof: .some(nil),
                    nonce: nonce,
                    body: "rows"
                )
            )
            #expect(rows.status == 200)
            #expect(rows.received?.values("X-Keybound-Binding") == ["bearer"])
            #expect(rows.received?.body == 4)
            let cors = ["Origin: https://app.example.com", "Access-Control-Request-Method: GET"]
            let preflight = try await scene.send(
                scene.request(method: "OPTIONS", authorization: .some(nil), proof: .some(nil), fields: cors, nonce: nonce)
            )
            #expect(preflight.status == 200)
            #expect(preflight.received?.values("X-Keybound-Subject") == ["-"])
            let options = try await scene.send(
                scene.request(method: "OPTIONS", authorization: .some(nil), proof: .some(nil), nonce: nonce)
            )
            expectRefusal(options, [401], "OPTIONS that is no preflight")
            let path = "/.well-known/oauth-protected-resource"
            let metadata = try await scene.send(
                scene.request(path + "/notes%2Fa", authorization: .some(nil), proof: .some(nil), nonce: nonce)
            )
            #expect(metadata.status == 200)
            #expect(metadata.body.contains("\"resource\":\"\(scene.address)/notes%2Fa\""))
            for target in [path + "/../../notes", path + "ful", path + "/../notes"] {
                let answer = try await scene.send(
                    scene.request(target, authorization: .some(nil), proof: .some(nil), nonce: nonce)
                )
                expectRefusal(answer, [200, 400, 401, 403, 404], "\(target)")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: fields of the client count for nothing`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let harmless = [
                ["X-Keybound-Subject: root", "x-keybound-scope: admin"], ["X_Keybound_Subject: root", "X-Keybound_Scope: admin"],
                ["X-Forwarded-Method: POST", "X-HTTP-Method-Override: POST"], ["X-Forwarded-Host: evil.test"],
                ["X-Forwarded-Proto: gopher"], ["X_Forwarded_Uri: /health"],
                ["X-Original-URL: /admin", "X-Rewrite-URL: /admin", "X-HTTP-Method: DELETE", "X-Method-Override: DELETE"],
                ["X-Keybound-Status: 200", "X-Keybound-Nonce: evil"],
            ]
            for fields in harmless {
                let answer = try await scene.send(scene.request(fields: fields, nonce: nonce))
                expectIdentity(answer, "\(fields)")
                for name in ["X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"] {
                    #expect(answer.received?.values(name) == [], "\(name)")
                }
                #expect(answer.values("DPoP-Nonce") == [], "\(fields)")
            }
            for field in ["X-Forwarded-Uri: /health", "X_Forwarded_Uri: /health", "X-Original-URI: /health"] {
                let answer = try await scene.send(
                    scene.request("/payments", authorization: .some(nil), proof: .some(nil), fields: [field], nonce: nonce)
                )
                expectRefusal(answer, [401], "\(field)")
            }
            for names in ["X-Keybound-Subject, X-Keybound-Scope", "X-Keybound-Subject"] {
                let answer = try await scene.send(scene.request(connection: names, nonce: nonce))
                #expect([200, 400].contains(answer.status), "Connection: \(names)")
                if answer.reached > 0 { expectIdentity(answer, "Connection: \(names)") }
            }
            let hop = try await scene.send(
                scene.request("/payments", connection: "X-Forwarded-Uri, X-Forwarded-Method, Authorization, DPoP", nonce: nonce)
            )
            expectRefusal(hop, [400, 401, 403, 503], "Connection names what the gateway reads")
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: paths that could be read in two ways, and other hosts`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let base = scene.address
            let targets = [
                "/notes/a%2Fb", "/notes/../payments", "/notes/%2e%2e/payments", "/notes/..;/payments", "//evil.test/notes",
                "/notes//x", "/notes%00", "/notes\\..\\payments", "/notes/%zz", "/notes/%252e%252e/payments", "/notes#x",
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
                expectRefusal(answer, [400, 421], "Host: \(host)")
            }
            let absolute = try await scene.send(
                scene.request("http://evil.test/notes", signing: base + "/notes", nonce: nonce)
            )
            expectRefusal(absolute, [400, 401, 403, 421], "absolute form of another host")
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
                ("another scheme", try await scene.request(signing: "https://127.0.0.1:\(scene.port)/notes", nonce: nonce)),
                ("another port", try await scene.request(signing: "http://127.0.0.1:1/notes", nonce: nonce)),
                ("a made-up nonce", try await scene.request(nonce: "made-up")),
                ("no proof", try await scene.request(proof: .some(nil), nonce: nonce)),
            ]
            for (name, request) in requests { expectRefusal(try await scene.send(request), [401], "\(name)") }
            let proof = try await scene.request(nonce: nonce)
            let two = try await scene.send(
                Array(String(decoding: proof, as: UTF8.self).replacing("\r\n\r\n", with: "\r\nAuthorization: DPoP x\r\n\r\n").utf8)
            )
            expectRefusal(two, [400, 401], "two tokens")
            let tokens: [(String, String)] = [
                ("another issuer", try await scene.issuer.token(for: base) { $0["iss"] = "https://evil.test" }),
                ("another audience", try await scene.issuer.token(for: "https://other.test")),
                ("expired", try await scene.issuer.token(for: base) { $0["exp"] = 1_700_000_000 }),
                ("unknown key", try await scene.issuer.token(for: base, kid: "key-9")),
                ("not bound", try await scene.issuer.token(for: base) { $0["cnf"] = nil }),
                ("bound to another key", try await scene.issuer.token(for: base) { $0["cnf"] = ["jkt": .string(String(repeating: "A", count: 43))] }),
            ]
            for (name, token) in tokens {
                let answer = try await scene.send(scene.request(authorization: "DPoP \(token)", nonce: nonce))
                expectRefusal(answer, [401], "\(name)")
                #expect(answer.values("WWW-Authenticate").first?.contains("error=\"invalid_token\"") ?? false, "\(name)")
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
            let both = try await scene.request(fields: ["Content-Length: 4", "Transfer-Encoding: chunked"], nonce: nonce)
            let smuggled = try await scene.send(
                both + Array("0\r\n\r\nGET /payments HTTP/1.1\r\nHost: 127.0.0.1:\(scene.port)\r\n\r\n".utf8)
            )
            #expect(smuggled.reached <= 1)
            if smuggled.reached == 1 { expectIdentity(smuggled, "length and chunks") }
            let odd = try await scene.request(fields: ["Content-Length: 0", "Transfer-Encoding: xchunked"], nonce: nonce)
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
            expectRefusal(dead, [503], "the gateway is dead: \(target)")
            #expect(dead.values("Retry-After") == ["2"])
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
