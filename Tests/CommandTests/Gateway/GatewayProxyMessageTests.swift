// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import StrictJSON
import TestSupport
import Testing

@Suite("Gateway behind real proxies: requests in unusual forms")
struct GatewayProxyMessageTests: GatewayProxyExpectations {
    /// RFC 9112 section 3.2.1: a server gets the path, never the absolute address, in which programs find different paths.
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: the path of an absolute address is the one that the gateway decided about`(
        _ proxy: Proxy
    ) async throws {
        try await with(proxy) { scene, nonce in
            for user in ["", "x@", "x:y@", "x?@", "x?y=@", "x#@"] {
                let target = "http://\(user)127.0.0.1:\(scene.port)/health"
                let answer = try await scene.send(
                    scene.request(target, authorization: .some(nil), proof: .some(nil), nonce: nonce)
                )
                if answer.reached > 0 {
                    #expect(answer.received?.line == "GET /health HTTP/1.1", "\(target)")
                } else {
                    expectRefusal(answer, [0, 400, 401, 403, 404, 421], "\(target)")
                }
            }
        }
    }

    /// RFC 9110 section 7.6.1: a proxy between this one and the API removes every field that Connection lists.
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: what the client lists in Connection is not listed for the API`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            for names in ["X-Keybound-Subject", "close, X-Keybound-Subject", "X-Keybound-Subject, X-Forwarded-Host"] {
                let answer = try await scene.send(scene.request(connection: names, nonce: nonce))
                if answer.reached > 0 {
                    expectIdentity(answer, "Connection: \(names)")
                    let listed = answer.received?.values("Connection").joined(separator: ",").lowercased() ?? ""
                    #expect(!listed.contains("x-"), "Connection: \(names)")
                } else {
                    expectRefusal(answer, [400], "Connection: \(names)")
                }
            }
        }
    }

    /// A proxy has a buffer, which the client's own fields fill.
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: a client that fills the buffer of the proxy makes no field of the gateway disappear`(
        _ proxy: Proxy
    ) async throws {
        let claims = ["X-Keybound-Groups": "groups", "X-Keybound-Tenant": "tenant"]
        let groups = (1000..<1200).map(String.init)
        let scene = try await GatewayScene(proxy, claims: claims)
        let gateway = try await scene.startGateway()
        do {
            let nonce = try await scene.nonce()
            let token = try await scene.issuer.token(for: scene.address) { claims in
                claims["groups"] = .strings(groups)
                claims["tenant"] = "oslo"
            }
            var refused = 0
            for size in stride(from: 11_000, through: 14_900, by: 60) {
                let cookie = "Cookie: a=\(String(repeating: "x", count: size))"
                let request = try await scene.request(authorization: "DPoP \(token)", fields: [cookie], nonce: nonce)
                let answer = try await scene.send(request)
                if answer.reached > 0 {
                    expectIdentity(answer, "\(size)")
                    #expect(answer.received?.values("X-Keybound-Groups") == [groups.joined(separator: ",")], "\(size)")
                    #expect(answer.received?.values("X-Keybound-Tenant") == ["oslo"], "\(size)")
                } else {
                    refused += 1
                    expectRefusal(answer, [0, 400, 413, 431, 500, 502, 503], "\(size)")
                }
            }
            #expect(proxy.name != "haproxy" || refused > 0)
        } catch {
            await scene.stop(gateway)
            throw error
        }
        await scene.stop(gateway)
    }

    /// RFC 9110 section 15.6.4: a client may ask again.
    @Test(.timeLimit(.minutes(3)), arguments: [Proxy.nginx, .caddy, .haproxy])
    func `metadata while the gateway is away or does not answer is a 503 like any other`(_ proxy: Proxy) async throws {
        let scene = try await GatewayScene(proxy)
        let path = "/.well-known/oauth-protected-resource/notes"
        let request = try await scene.request(path, authorization: .some(nil), proof: .some(nil), nonce: nil)
        // The client waits 18 seconds.
        for isAway in [true, false] {
            let silent: SilentGateway? = if isAway { nil } else { try await SilentGateway(in: scene.directory) }
            let answer = try await scene.send(request)
            expectRefusal(answer, [503], "away: \(isAway)")
            #expect(answer.values("Retry-After") == ["2"], "away: \(isAway)")
            #expect(answer.values("Cache-Control") == ["no-store"], "away: \(isAway)")
            #expect(silent?.questions ?? 1 == 1)
            await silent?.stop()
        }
        await scene.stop(nil)
    }

    /// 503 would say that the gateway is at fault, and set off an alert.
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: malformed hosts and methods are rejected as what they are`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            for host in ["a,b", "x:abc", "127.0.0.1,127.0.0.1"] {
                let answer = try await scene.send(scene.request(host: host, nonce: nonce))
                expectRefusal(answer, [400, 404, 421], "Host: \(host)")
            }
            for method in [String(repeating: "A", count: 33), "get", "G-E-T"] {
                let answer = try await scene.send(scene.request(method: method, nonce: nonce))
                expectRefusal(answer, [400, 403, 405, 501], "\(method)")
            }
        }
    }

    /// RFC 9110 section 5.5: bytes beyond ASCII are opaque.
    ///
    /// nginx and Caddy send all fields to the gateway, the others those that it reads.
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: fields that are no text make no 503`(_ proxy: Proxy) async throws {
        try await with(proxy) { scene, nonce in
            for byte in [0xE9, 0x01, 0x7F] as [UInt8] {
                let harmless = try await scene.request(fields: ["Referer: http://x/MARK", "X-Own: MARK"], nonce: nonce)
                let answer = try await scene.send(Self.replacing(harmless, byte))
                if answer.status == 200 {
                    expectIdentity(answer, "Referer, \(byte)")
                } else {
                    expectRefusal(answer, proxy.name == "nginx" ? [] : [400], "Referer, \(byte)")
                }
                for name in ["Authorization", "DPoP", "Origin", "traceparent"] {
                    let request =
                        switch name {
                        case "Authorization": try await scene.request(authorization: "DPoP MARK", nonce: nonce)
                        case "DPoP": try await scene.request(proof: "MARK", nonce: nonce)
                        default: try await scene.request(fields: ["\(name): MARK"], nonce: nonce)
                        }
                    let refused = try await scene.send(Self.replacing(request, byte))
                    expectRefusal(refused, [400], "\(name), \(byte)")
                }
            }
        }
    }

    /// The bytes of a request with another byte in place of each mark.
    private static func replacing(_ request: [UInt8], _ byte: UInt8) -> [UInt8] {
        Array(
            String(decoding: request, as: UTF8.self).split(separator: "MARK", omittingEmptySubsequences: false)
                .map { Array($0.utf8) }.joined(separator: [byte])
        )
    }
}
#endif
