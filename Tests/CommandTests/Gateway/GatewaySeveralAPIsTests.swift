// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import TestSupport
import Testing

@Suite("Gateway behind real proxies: several APIs in one configuration")
struct GatewaySeveralAPIsTests: GatewayProxyExpectations {
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `each API gets the requests for its host, and no other`(_ proxy: Proxy) async throws {
        try await withTwoAPIs(proxy) { scene, second, nonce in
            let requests = [
                try await scene.fields(to: scene.address, nonce: nonce),
                try await scene.fields(to: scene.secondAddress, nonce: nonce),
                try await scene.fields(
                    to: scene.secondAddress,
                    authority: "FILES.example.com:\(scene.port)",
                    nonce: nonce
                ),
            ]
            for (request, reached) in zip(requests, [(1, 0), (1, 1), (1, 2)]) {
                let answer = try await HTTP2Client.send([request], to: scene)[0]
                #expect(answer.status == 200, "\(answer.head)")
                #expect(answer.received?.values("X-Keybound-Subject").count == 1)
                let address = reached.1 == 0 ? scene.address : scene.secondAddress
                #expect(answer.received?.values("Host") == [String(address.dropFirst("https://".count))])
                #expect((scene.api.requests, second.requests) == reached)
            }
        }
    }

    /// RFC 1034 section 3.1: a final dot only ends a complete name.
    ///
    /// Caddy takes no such name in its configuration.
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `a final dot in the host is the same host`(_ proxy: Proxy) async throws {
        try await withTwoAPIs(proxy) { scene, second, nonce in
            let authority = "files.example.com.:\(scene.port)"
            let fields = try await scene.fields(to: scene.secondAddress, authority: authority, nonce: nonce)
            let answer = try await HTTP2Client.send([fields], to: scene)[0]
            let isCaddy = proxy.name == "caddy"
            #expect(answer.status == (isCaddy ? proxy.facts.otherHost : 200), "\(answer.head)")
            #expect(scene.api.requests == 0)
            #expect(second.requests == (isCaddy ? 0 : 1))
            // RFC 9449 section 4.3: the proof names the other API.
            let other = try await scene.fields(to: scene.address, authority: authority, nonce: nonce)
            #expect(try await HTTP2Client.send([other], to: scene)[0].status != 200)
            #expect(scene.api.requests == 0)
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: what is for one API is rejected at the other, and at a host that is neither`(
        _ proxy: Proxy
    ) async throws {
        try await withTwoAPIs(proxy) { scene, second, nonce in
            let (first, other) = (scene.address, scene.secondAddress)
            let attempts = [
                // RFC 9068 section 4: the audience; RFC 9449 section 4.3: the URI of the proof.
                (try await scene.fields(to: other, token: first, nonce: nonce), [401]),
                (try await scene.fields(to: first, token: other, nonce: nonce), [401]),
                (
                    try await scene.fields(to: first, authority: "files.example.com:\(scene.port)", nonce: nonce),
                    [401]
                ),
                (
                    try await scene.fields(to: first, authority: "other.example.com:\(scene.port)", nonce: nonce),
                    [0, 400, proxy.facts.otherHost]
                ),
                (
                    try await scene.fields(to: first, authority: "api.example.com.files.example.com", nonce: nonce),
                    [0, 400, proxy.facts.otherHost]
                ),
            ]
            for (fields, statuses) in attempts {
                let answer = try await HTTP2Client.send([fields], to: scene)[0]
                #expect(statuses.contains(answer.status), "\(fields[2].value): \(answer.head)")
            }
            #expect(scene.api.requests == 0 && second.requests == 0)
        }
    }

    /// RFC 9113 section 8.3.1: a Host field beside the authority must have the same value.
    @Test(.timeLimit(.minutes(3)), arguments: Proxy.all)
    func `attack: a Host field that names the other API does not get there`(_ proxy: Proxy) async throws {
        try await withTwoAPIs(proxy) { scene, second, nonce in
            let authorities = [scene.address, scene.secondAddress].map { String($0.dropFirst("https://".count)) }
            for (index, address) in [scene.address, scene.secondAddress].enumerated() {
                for (authority, host) in [(authorities[0], authorities[1]), (authorities[1], authorities[0])] {
                    let fields = try await scene.fields(to: address, authority: authority, nonce: nonce)
                    let before = (scene.api.requests, second.requests)
                    let answer = try await HTTP2Client.send([fields + [("host", host)]], to: scene)[0]
                    #expect([0, 200, 400, 401, proxy.facts.otherHost].contains(answer.status), "\(answer.head)")
                    #expect(index == 0 || scene.api.requests == before.0)
                    #expect(index == 1 || second.requests == before.1)
                }
            }
        }
    }

    @Test func `nginx: configurations for several ports of a host beside each other have upstreams of their own`()
        async throws
    {
        var names: [Substring] = []
        for address in ["https://api.example.com", "https://api.example.com:8443", "https://api.example.com_8443"] {
            let result = try await KeyboundProcess.run(
                ["gateway", "config", "nginx", "--api", address, "--upstream", "127.0.0.1:9000"],
                in: TemporaryDirectory()
            )
            #expect(result.status == 0, "\(result.errors)")
            let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("upstream ") }
            names += lines.map { $0.split(separator: " ")[1] }
        }
        #expect(names.count == 6 && Set(names).count == 6, "\(names)")
    }

    @Test(arguments: [
        ("nginx --api https://a.example --api https://b.example", "one for each"),
        (
            "caddy --api https://a.example --upstream 127.0.0.1:1 --upstream 127.0.0.1:2",
            "1 --api, but 2 --upstream"
        ),
        ("haproxy --api https://a.example:8443 --upstream 127.0.0.1:1 \(second)", "the same port"),
        ("haproxy --api https://B.example --upstream 127.0.0.1:1 \(second)", "a host of its own"),
        ("caddy --api http://127.0.0.1:443 --upstream 127.0.0.1:1 \(second)", "have https"),
        (
            "envoy --api https://a.example --upstream 127.0.0.1:1 --api https://a.example --upstream 127.0.0.1:2",
            "a host"
        ),
        (
            "traefik --api https://a.example --upstream 127.0.0.1:1 --api https://b.example --upstream unix:/a",
            "unix sockets"
        ),
        (
            "haproxy --api https://a.example --upstream 127.0.0.1:1 \(second) --certificate /a.pem",
            "2 --api, but 1 --certificate"
        ),
        (
            "envoy --api https://a.example --upstream 127.0.0.1:1 \(second) --cors https://x.example --cors none --cors none",
            "2 --api, but 3 --cors"
        ),
    ])
    func `APIs that one configuration cannot hold are rejected`(_ options: String, _ reason: String) async throws {
        let directory = try TemporaryDirectory()
        let words = options.split(separator: " ").map(String.init)
        let result = try await KeyboundProcess.run(["gateway", "config"] + words, in: directory)
        #expect(result.status == 2)
        #expect(result.errors.contains(reason), "\(result.errors)")
    }

    private static let second = "--api https://b.example --upstream 127.0.0.1:2"
}
#endif
