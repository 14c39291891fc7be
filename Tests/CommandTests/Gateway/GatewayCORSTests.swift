// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import TestSupport
import Testing

@Suite("Gateway behind real proxies: CORS (Fetch standard)")
struct GatewayCORSTests: GatewayProxyExpectations {
    private static let origin = "https://app.example.com"
    private static let options = ["--cors", origin]
    private static let preflight = ["Origin: \(origin)", "Access-Control-Request-Method: POST"]

    /// What every answer has: the origin and that the answer depends on it, once, and the fields that scripts may read.
    private func expectReadable(_ answer: GatewayScene.Answer, _ comment: Comment, origin: String? = origin) {
        #expect(answer.values("Access-Control-Allow-Origin") == (origin.map { [$0] } ?? []), comment)
        #expect(answer.values("Access-Control-Allow-Credentials") == [], comment)
        #expect(list(answer, "Vary").contains("origin"), comment)
        let exposed = list(answer, "Access-Control-Expose-Headers")
        #expect(exposed.contains("dpop-nonce"), comment)
        #expect(exposed.contains("www-authenticate"), comment)
        #expect(Set(exposed).count == exposed.count, comment)
    }

    private func list(_ answer: GatewayScene.Answer, _ name: String) -> [String] {
        answer.values(name).flatMap { $0.split(separator: ",") }.map { $0.filter { $0 != " " }.lowercased() }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `the proxy answers preflights itself, whatever they carry`(_ proxy: Proxy) async throws {
        try await with(proxy, options: Self.options) { scene, nonce in
            let other = ["Origin: https://evil.test", "Access-Control-Request-Method: POST"]
            let requests: [(String, [UInt8])] = [
                (
                    "plain",
                    try await scene.request(
                        method: "OPTIONS",
                        authorization: .some(nil),
                        proof: .some(nil),
                        fields: Self.preflight + ["Access-Control-Request-Headers: authorization,dpop"],
                        nonce: nil
                    )
                ),
                ("with a token", try await scene.request(method: "OPTIONS", fields: Self.preflight, nonce: nonce)),
                ("of another origin", try await scene.request(method: "OPTIONS", fields: other, nonce: nonce)),
                (
                    "of an ambiguous path",
                    try await scene.request("/notes/a%2Fb", method: "OPTIONS", fields: Self.preflight, nonce: nonce)
                ),
            ]
            for (name, request) in requests {
                let answer = try await scene.send(request)
                #expect(answer.status == proxy.facts.preflight, "\(name)")
                #expect(answer.reached == 0, "\(name)")
                let isNamed = name != "of another origin" || !proxy.facts.comparesOrigins
                #expect(answer.values("Access-Control-Allow-Origin") == (isNamed ? [Self.origin] : []), "\(name)")
                #expect(list(answer, "Vary").contains("origin") || proxy.facts.comparesOrigins, "\(name)")
                #expect(
                    list(answer, "Access-Control-Allow-Methods") == ["get", "head", "post", "put", "patch", "delete"],
                    "\(name)"
                )
                #expect(
                    list(answer, "Access-Control-Allow-Headers") == ["authorization", "dpop", "content-type"],
                    "\(name)"
                )
                #expect(answer.values("Access-Control-Max-Age") == ["7200"], "\(name)")
                #expect(answer.values("Access-Control-Allow-Credentials") == [], "\(name)")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: OPTIONS that is no preflight needs a token`(_ proxy: Proxy) async throws {
        try await with(proxy, options: Self.options) { scene, nonce in
            for fields in [[], [Self.preflight[0]], [Self.preflight[1]]] {
                let nobody = try await scene.send(
                    scene.request(
                        method: "OPTIONS",
                        authorization: .some(nil),
                        proof: .some(nil),
                        fields: fields,
                        nonce: nonce
                    )
                )
                expectRefusal(nobody, [401], "\(fields)")
                let isNamed = fields.contains(Self.preflight[0]) || !proxy.facts.comparesOrigins
                expectReadable(nobody, "\(fields)", origin: isNamed ? Self.origin : nil)
            }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `scripts can read answers, refusals, and the proxy's own errors`(_ proxy: Proxy) async throws {
        let scene = try await GatewayScene(proxy, options: Self.options)
        let gateway = try await scene.startGateway()
        do {
            let nonce = try await scene.nonce()
            let origin = [Self.preflight[0]]
            let first = try await scene.send(scene.request(fields: origin, nonce: nil))
            expectRefusal(first, [401], "no nonce")
            #expect(first.values("DPoP-Nonce").count == 1)
            expectReadable(first, "no nonce")
            let answer = try await scene.send(scene.request(fields: origin, nonce: nonce))
            expectIdentity(answer, "ordinary")
            expectReadable(answer, "ordinary")
            let broken = try await scene.send(scene.request("/broken", fields: origin, nonce: nonce))
            #expect(broken.status == 500)
            expectReadable(broken, "an error of the API")
            for (target, status) in [("/other", 403), ("/notes/a%2Fb", 400)] {
                let refused = try await scene.send(scene.request(target, fields: origin, nonce: nonce))
                expectRefusal(refused, [status], "\(target)")
                expectReadable(refused, "\(target)")
            }
            let metadata = try await scene.send(
                scene.request(
                    "/.well-known/oauth-protected-resource",
                    authorization: .some(nil),
                    proof: .some(nil),
                    fields: origin,
                    nonce: nil
                )
            )
            #expect(metadata.status == 200)
            #expect(metadata.values("Access-Control-Allow-Origin") == [Self.origin])
            let own = try await scene.send(scene.request("/notes/cors", fields: origin, nonce: nonce))
            expectIdentity(own, "an API that answers CORS itself")
            expectReadable(own, "an API that answers CORS itself")
            #expect(list(own, "Access-Control-Expose-Headers").contains("x-total") != proxy.facts.comparesOrigins)
            #expect(list(own, "Vary").contains("accept"))
            for name in ["Methods", "Headers"] { #expect(own.values("Access-Control-Allow-\(name)") == [], "\(name)") }
            #expect(own.values("Access-Control-Max-Age") == [])
            gateway.kill()
            let dead = try await scene.send(scene.request(fields: origin, nonce: nonce))
            expectRefusal(dead, [proxy.facts.unavailable], "the gateway is dead")
            expectReadable(dead, "the gateway is dead")
        } catch {
            await scene.stop(gateway)
            throw error
        }
        await scene.stop(gateway)
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `each API has an origin of its own, or none`(_ proxy: Proxy) async throws {
        for other in ["https://files-app.example.com", "none"] {
            try await withTwoAPIs(proxy, options: ["--cors", Self.origin, "--cors", other]) { scene, second, nonce in
                try await expect(Self.origin, for: scene.address, scene.api, at: scene, nonce)
                try await expect(other == "none" ? nil : other, for: scene.secondAddress, second, at: scene, nonce)
            }
        }
    }

    /// The scripts of an origin may call an API; with `nil`, the proxy leaves that to the API, which says nothing.
    private func expect(
        _ origin: String?,
        for address: String,
        _ api: EchoAPI,
        at scene: GatewayScene,
        _ nonce: String
    ) async throws {
        let comment = Comment(rawValue: address)
        let script: [HTTP2Client.Field] = [("origin", origin ?? Self.origin)]
        let good = try await scene.fields(to: address, nonce: nonce) + script
        let preflight: [HTTP2Client.Field] = [
            (":method", "OPTIONS"), (":scheme", "https"), (":authority", String(address.dropFirst("https://".count))),
            (":path", "/notes"), ("access-control-request-method", "POST"),
        ]
        let nobody = good.filter { $0.name != "authorization" && $0.name != "dpop" }
        let before = api.requests
        let answers = try await HTTP2Client.send([good, nobody, preflight + script], to: scene)
        #expect(answers.map(\.status) == [200, 401, origin == nil ? 200 : scene.kind.facts.preflight], comment)
        #expect(api.requests - before == (origin == nil ? 2 : 1), comment)
        for answer in answers {
            #expect(answer.values("Access-Control-Allow-Origin") == (origin.map { [$0] } ?? []), comment)
        }
    }

    @Test(arguments: ["nginx", "caddy", "haproxy", "envoy", "traefik"])
    func `every configuration names the origin, and what is no origin is rejected`(_ proxy: String) async throws {
        let directory = try TemporaryDirectory()
        let arguments = ["gateway", "config", proxy, "--gateway", "127.0.0.1:8085", "--cors"]
        for origin in [Self.origin, "https://app.example.com:8443", "http://127.0.0.1:3000", "http://localhost:3000"] {
            let result = try await KeyboundProcess.run(arguments + [origin], in: directory)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains(origin))
        }
        for (origin, reason) in [
            ("*", "every site"), ("null", "sandboxed frames"), ("https://app.example.com/", "not an origin"),
            ("https://app.example.com?x", "not an origin"), ("https://me@app.example.com", "not an origin"),
            ("app.example.com", "not an origin"), ("https://", "not an origin"), ("file:///x", "not an origin"),
            ("https://app.example.com\" always; #", "not an origin"), ("https://*.example.com", "not an origin"),
            ("https://App.example.com", "browsers send https://app.example.com"),
            ("https://app.example.com:443", "browsers send https://app.example.com"),
            ("http://app.example.com", "http on this machine"),
        ] {
            let refused = try await KeyboundProcess.run(arguments + [origin], in: directory)
            #expect(refused.status == 2, "\(origin)")
            #expect(refused.errors.contains(reason), "\(origin): \(refused.errors)")
        }
    }
}
#endif
