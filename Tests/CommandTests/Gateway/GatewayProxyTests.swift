// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway behind real proxies")
struct GatewayProxyTests: GatewayProxyExpectations {
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `honest requests reach the API with their identity, bytes unchanged`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let normalized = ["/notes/%7Eme%20x": "/notes/~me%20x", "/notes/%c3%a9": "/notes/%C3%A9"]
            for target in ["/notes", "/notes?a=b%2Fc&d", "/notes/%7Eme%20x", "/notes/%c3%a9", "/notes/"] {
                let answer = try await scene.send(scene.request(target, nonce: nonce))
                expectIdentity(answer, "\(target)")
                let expected = proxy.facts.keepsPaths ? target : normalized[target] ?? target
                #expect(answer.received?.line == "GET \(expected) HTTP/1.1")
                #expect(answer.values("DPoP-Nonce") == [])
            }
            let host = try await scene.send(scene.request(host: "127.0.0.1.", nonce: nonce))
            expectIdentity(host, "a final dot")
            let token = try await scene.issuer.token(for: scene.address)
            let lower = try await scene.send(scene.request(authorization: "dpop \(token)", nonce: nonce))
            expectIdentity(lower, "scheme in lower case")
            let open = try await scene.send(
                scene.request("/health", authorization: .some(nil), proof: .some(nil), nonce: nonce)
            )
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

    /// RFC 9110 section 7.2: an API makes addresses of these fields, and caches keep what it makes.
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `the API gets the host and port of its public address, whatever the client wrote`(
        _ proxy: Proxy
    ) async throws {
        try await with(proxy) { scene, nonce in
            let authority = String(scene.address.dropFirst("http://".count))
            let claims = [
                "X-Forwarded-Host: evil.test", "X-Forwarded-Proto: gopher", "X-Forwarded-For: 203.0.113.7",
                "X-Forwarded-Port: 7", "X-Forwarded-Prefix: /evil", "Forwarded: host=evil.test",
            ]
            for host in [authority, "127.0.0.1", "127.0.0.1.", "127.0.0.1:1"] {
                let answer = try await scene.send(scene.request(host: host, fields: claims, nonce: nonce))
                expectIdentity(answer, "\(host)")
                let received = answer.received
                #expect(received?.values("Host") == [authority], "\(host)")
                #expect(received?.values("X-Forwarded-Host") == [authority], "\(host)")
                #expect(received?.values("X-Forwarded-Proto") == ["http"], "\(host)")
                // The last one is the proxy's own.
                #expect(received?.values("X-Forwarded-For").last?.hasSuffix("203.0.113.7") == false, "\(host)")
                for name in ["X-Forwarded-Port", "X-Forwarded-Prefix", "Forwarded"] {
                    #expect(received?.values(name) == [], "\(name)")
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `the gateway's log names the trace of a request`(_ proxy: Proxy) async throws {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        let scene = try await GatewayScene(proxy)
        let gateway = try await scene.startGateway()
        do {
            let field = "traceparent: 00-\(trace)-00f067aa0ba902b7-01"
            let answer = try await scene.send(scene.request(fields: [field], nonce: try await scene.nonce()))
            expectIdentity(answer, "traced")
            #expect(answer.received?.values("traceparent") == [String(field.dropFirst(13))])
        } catch {
            await scene.stop(gateway)
            throw error
        }
        await scene.stop(gateway)
        #expect(gateway.errorsSoFar.contains("\"trace_id\":\"\(trace)\""), "\(gateway.errorsSoFar)")
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: arrays and claims in objects reach the API whole, and a client's own do not`(
        _ proxy: Proxy
    ) async throws {
        let claims = ["X-Keybound-Groups": "groups", "X-Keybound-Roles": "/realm_access/roles"]
        let scene = try await GatewayScene(proxy, claims: claims)
        let gateway = try await scene.startGateway()
        do {
            let nonce = try await scene.nonce()
            let token = try await scene.issuer.token(for: scene.address) { claims in
                claims["groups"] = ["admin", "a,b", "\u{E9} %"]
                claims["realm_access"] = ["roles": ["one", "two"]]
            }
            let forged = ["X-Keybound-Groups: root", "x-keybound-roles: root", "X_Keybound_Roles: root"]
            let known = try await scene.send(
                scene.request(authorization: "DPoP \(token)", fields: forged, nonce: nonce)
            )
            expectIdentity(known, "arrays")
            #expect(known.received?.values("X-Keybound-Groups") == ["admin,a%2Cb,%C3%A9%20%25"])
            #expect(known.received?.values("X-Keybound-Roles") == ["one,two"])
            #expect(known.received?.wsgi["HTTP_X_KEYBOUND_ROLES"] == "one,two")
            let without = try await scene.send(scene.request(fields: forged, nonce: nonce))
            expectIdentity(without, "no such claims")
            for name in claims.keys { #expect(without.received?.values(name) == ["-"], "\(name)") }
        } catch {
            await scene.stop(gateway)
            throw error
        }
        await scene.stop(gateway)
    }

    /// nginx keeps the fields of the gateway's answer in variables, beside those of its own.
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: a claim changes only its field, whatever the field is called`(_ proxy: Proxy) async throws {
        let names = [
            "Connection", "Upgrade", "Challenge", "Other-Challenge", "Expose", "Retry", "Preflight", "Passed", "Uri",
        ].map { "X-Keybound-" + $0 }
        let claims = Dictionary(uniqueKeysWithValues: names.map { ($0, "plan") })
        let scene = try await GatewayScene(proxy, claims: claims)
        let gateway = try await scene.startGateway()
        do {
            let nonce = try await scene.nonce()
            let token = try await scene.issuer.token(for: scene.address) { $0["plan"] = "evil" }
            let answer = try await scene.send(scene.request(authorization: "DPoP \(token)", nonce: nonce))
            expectIdentity(answer, "claims")
            for name in names { #expect(answer.received?.values(name) == ["evil"], "\(name)") }
            for name in ["Connection", "Upgrade"] {
                #expect(answer.received?.values(name).contains("evil") == false, "\(name)")
            }
            let post = try await scene.send(scene.request(method: "POST", nonce: nonce, body: "x=1"))
            expectRefusal(post, [403], "scope")
            #expect(post.values("WWW-Authenticate").first?.contains("error=\"insufficient_scope\"") ?? false)
        } catch {
            await scene.stop(gateway)
            throw error
        }
        await scene.stop(gateway)
    }

    private static let webSocket = [
        "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `the first request is asked about like all others, in each thread of the proxy`(_ proxy: Proxy) async throws {
        let scene = try await GatewayScene(proxy)
        let gateway = try await scene.startGateway()
        let request = try await scene.request(authorization: .some(nil), proof: .some(nil), nonce: nil)
        let lines = try await blocking { [port = scene.port] in
            // All open at once: a thread takes a connection while the others have more.
            let connections = try (0..<16).map { _ in try RawConnection(port: port, timeout: 60) }
            for connection in connections { try connection.send(request) }
            return try connections.map { try $0.receive()?.head.prefix { $0 != "\r\n" } }
        }
        #expect(lines.map { $0?.dropFirst(9).prefix(3) } == Array(repeating: "401", count: 16))
        await scene.stop(gateway)
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `refusals have the exact challenge, once`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            let nobody = try await scene.send(scene.request(authorization: .some(nil), proof: .some(nil), nonce: nonce))
            expectRefusal(nobody, [401], "no credentials")
            let challenge = try #require(nobody.values("WWW-Authenticate").first)
            #expect(challenge.hasPrefix("DPoP scope=\"notes:read\", algs=\""))
            #expect(
                challenge.contains("resource_metadata=\"\(scene.address)/.well-known/oauth-protected-resource/notes\"")
            )
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
                scene.request(
                    authorization: .some(nil),
                    proof: .some(nil),
                    fields: Self.webSocket,
                    connection: "Upgrade",
                    nonce: nonce
                )
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
            let payment = try await scene.send(
                scene.request("/payments/1", authorization: "DPoP \(strong)", nonce: nonce)
            )
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
                scene.request(
                    method: "OPTIONS",
                    authorization: .some(nil),
                    proof: .some(nil),
                    fields: cors,
                    nonce: nonce
                )
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
            // RFC 9728 section 2: "always", and /import/*/rows takes others.
            #expect(!metadata.body.contains("dpop_bound_access_tokens_required"))
            for target in [path + "/../../notes", path + "ful", path + "/../notes"] {
                let answer = try await scene.send(
                    scene.request(target, authorization: .some(nil), proof: .some(nil), nonce: nonce)
                )
                expectRefusal(answer, [200, 400, 401, 403, 404], "\(target)")
            }
        }
    }
}
#endif
