// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthSystem
import ProofSuite
import ServerStage
import StrictJSON
import TestSupport
import Testing

@Suite("Proofs over real sockets: what the request around them may look like", .overSocketsOnEveryStore)
struct RequestsOnTheWireTests {
    /// What stands beside `DPoP` when somebody tries to pass for a bearer: none of it may be taken for no proof at all.
    @Test(arguments: [WireEndpoint.code, .refresh, .pushed])
    func `attack 67, two_headers_never_become_bearer, where tokens need not be bound`(
        endpoint: WireEndpoint
    ) async throws {
        let servers = try await WireServers.start(isBound: false)
        let grant = try await servers.signIn()
        let proof = try await servers.proof(for: endpoint, grant).signed()
        for values in [["", ""], [proof, proof], [proof, ""], ["", proof], ["x"], [","], ["\(proof),"], [""]] {
            let response = try await servers.send(WireRequest(endpoint, grant).with(values))
            #expect(response.status == 400 && response.error == "invalid_dpop_proof", "\(response.text)")
            #expect(!response.text.contains("Bearer"))
        }
        for name in ["dpop", "DPOP", "Dpop"] {
            var request = WireRequest(endpoint, grant).with([proof])
            request.fields.append((name, proof))
            #expect(try await servers.send(request).error == "invalid_dpop_proof")
        }
        await servers.stop()
    }

    @Test(arguments: WireEndpoint.allCases)
    func `attack 86, htu_host_header_spoof`(endpoint: WireEndpoint) async throws {
        let servers = try await WireServers.start()
        let grant = try await servers.signIn()
        var proof = try servers.proof(for: endpoint, grant)
        proof.claims["htu"] = .string("https://evil.example" + endpoint.path)
        let request = WireRequest(endpoint, grant).with([try await proof.signed()])
        for (name, value) in [
            ("Host", "evil.example"), ("X-Forwarded-Host", "evil.example"),
            ("Forwarded", "host=evil.example;proto=https"),
            ("X-Original-URL", "https://evil.example" + endpoint.path), ("X-Forwarded-Proto", "https"),
        ] {
            let response = try await servers.send(request.setting(name, value))
            #expect(response.error == "invalid_dpop_proof", "\(name): \(response.text)")
        }
        // The other way round, `Host` has no say either: a proxy may have put anything there.
        let honest = try await servers.honestRequest(endpoint, grant).setting("Host", "10.0.0.7:8080")
        #expect(try await servers.send(honest).status == (endpoint == .pushed ? 201 : 200))
        await servers.stop()
    }

    @Test(arguments: WireEndpoint.allCases)
    func `attack 86, a request target with a host of its own`(endpoint: WireEndpoint) async throws {
        let servers = try await WireServers.start()
        let grant = try await servers.signIn()
        for target in [
            "https://evil.example" + endpoint.path, "//evil.example" + endpoint.path, "@evil.example" + endpoint.path,
            endpoint.path + "/", endpoint.path + "%2F", endpoint.path + "/..", "*",
        ] {
            var request = try await servers.honestRequest(endpoint, grant)
            request.target = target
            let response = try await servers.send(request)
            #expect(response.status >= 400, "\(target): \(response.head)")
            #expect(!response.text.contains("access_token"))
        }
        await servers.stop()
    }

    @Test(arguments: WireEndpoint.allCases)
    func `accepted: the DPoP header in capitals, and in any other case`(endpoint: WireEndpoint) async throws {
        for name in ["DPOP", "dpop", "dPoP"] {
            let servers = try await WireServers.start()
            let grant = try await servers.signIn()
            var request = WireRequest(endpoint, grant)
            request.fields.append((name, try await servers.proof(for: endpoint, grant).signed()))
            #expect(try await servers.send(request).status == (endpoint == .pushed ? 201 : 200))
            await servers.stop()
        }
    }

    @Test(arguments: ["DPoP", "dpop", "DPOP", "dPoP"])
    func `accepted: the scheme in any case`(scheme: String) async throws {
        let servers = try await WireServers.start()
        let grant = try await servers.signIn()
        let request = try await servers.honestRequest(.api, grant)
            .setting("Authorization", "\(scheme) \(grant.accessToken)")
        #expect(try await servers.send(request).status == 200)
        await servers.stop()
    }

    @Test(arguments: WireEndpoint.allCases)
    func `accepted: htu with query and fragment, host and scheme in capitals, port 443`(
        endpoint: WireEndpoint
    ) async throws {
        let host = endpoint == .api ? "api.example.com" : "auth.example.com"
        for htu in [
            "https://\(host)\(endpoint.path)?a=b", "https://\(host)\(endpoint.path)#part",
            "HTTPS://\(host.uppercased())\(endpoint.path)", "https://\(host):443\(endpoint.path)",
        ] {
            try await expectAccepted(at: endpoint) { $0.claims["htu"] = .string(htu) }
        }
    }

    @Test(arguments: WireEndpoint.allCases)
    func `accepted: header and claim members that nobody knows`(endpoint: WireEndpoint) async throws {
        try await expectAccepted(at: endpoint) {
            $0.header["kid"] = "one"
            $0.header["vendor"] = ["a": [1, .null]]
            $0.claims["vendor"] = .null
            $0.claims["iss"] = "app"
        }
    }

    @Test(arguments: WireEndpoint.allCases)
    func `accepted: iat ten seconds before and after, nbf and exp that hold`(endpoint: WireEndpoint) async throws {
        for offset: Int64 in [-10, 10] {
            try await expectAccepted(at: endpoint) {
                $0.claims["iat"] = .number(JSONNumber(Scenario.now.secondsSince1970 + offset))
            }
        }
        try await expectAccepted(at: endpoint) {
            $0.claims["nbf"] = .number(JSONNumber(Scenario.now.secondsSince1970 - 5))
            $0.claims["exp"] = .number(JSONNumber(Scenario.now.secondsSince1970 + 5))
        }
    }

    @Test func `accepted: htu without the query that the request has`() async throws {
        let servers = try await WireServers.start()
        let grant = try await servers.signIn()
        var request = try await servers.honestRequest(.api, grant)
        request.target += "?page=2&sort=%2F"
        #expect(try await servers.send(request).status == 200)
        await servers.stop()
    }

    private func expectAccepted(
        at endpoint: WireEndpoint,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout ProofBuilder) -> Void
    ) async throws {
        let servers = try await WireServers.start()
        let grant = try await servers.signIn()
        var proof = try servers.proof(for: endpoint, grant)
        change(&proof)
        let response = try await servers.send(WireRequest(endpoint, grant).with([try await proof.signed()]))
        #expect(
            response.status == (endpoint == .pushed ? 201 : 200),
            "\(response.text)",
            sourceLocation: sourceLocation
        )
        await servers.stop()
    }
}
