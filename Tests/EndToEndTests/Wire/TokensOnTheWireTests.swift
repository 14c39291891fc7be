// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCrypto
import OAuthSystem
import ServerStage
import StrictJSON
import TestSupport
import Testing

/// The token of each test is one that our authorization server gave out, with one thing changed, and signed again by the
/// server's own key: nothing else is wrong with it.
@Suite("Attacks 103 to 114 over real sockets: access tokens at the API", .overSocketsOnEveryStore)
struct TokensOnTheWireTests {
    private typealias Change = @Sendable (inout JSONObject) -> Void

    private func withServers(
        _ body: (WireServers, WireGrant) async throws -> Void
    ) async throws {
        let servers = try await WireServers.start()
        try await body(servers, try await servers.signIn())
        await servers.stop()
    }

    /// The token of a grant with other claims or another header.
    private func token(
        of grant: WireGrant,
        header changeHeader: Change = { _ in },
        claims changeClaims: Change = { _ in }
    ) async throws -> String {
        let parts = grant.accessToken.split(separator: ".")
        var header = try #require(try JSONValue(parsing: Base64URL.decode(String(parts[0]))).objectValue)
        var claims = try #require(try JSONValue(parsing: Base64URL.decode(String(parts[1]))).objectValue)
        changeHeader(&header)
        changeClaims(&claims)
        return try await RawJWS.sign(
            header: JSONValue.object(header).encoded(),
            payload: JSONValue.object(claims).encoded(),
            with: TestKey.p256(4)
        )
    }

    /// Sends a token with a proof that is right for it.
    private func send(_ token: String, _ servers: WireServers, _ grant: WireGrant) async throws -> RawResponse {
        var changed = grant
        changed.accessToken = token
        return try await servers.send(servers.honestRequest(.api, changed))
    }

    private func expectRefused(
        _ claims: Change = { _ in },
        header: Change = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await withServers { servers, grant in
            // What is refused below is the change and not the signature.
            let same = try await send(try await token(of: grant), servers, grant)
            #expect(same.status == 200, "\(same.head)", sourceLocation: sourceLocation)
            let response = try await send(
                try await token(of: grant, header: header, claims: claims),
                servers,
                grant
            )
            #expect(response.status == 401, "\(response.head)", sourceLocation: sourceLocation)
            #expect(response.error == "invalid_token", "\(response.head)", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [true, false])
    func `attack 103, bound_token_as_bearer`(hasProof: Bool) async throws {
        try await withServers { servers, grant in
            let request = hasProof ? try await servers.honestRequest(.api, grant) : WireRequest(.api, grant)
            let response = try await servers.send(request.setting("Authorization", "Bearer \(grant.accessToken)"))
            #expect(response.status == 401, "\(response.head)")
            #expect(response.field("WWW-Authenticate")?.contains("DPoP") == true)
        }
    }

    @Test(arguments: ["", "DPoP "])
    func `attack 104, bound_token_in_query_or_body`(scheme: String) async throws {
        try await withServers { servers, grant in
            var request = try await servers.honestRequest(.api, grant)
            request.target += "?access_token=\(grant.accessToken)"
            if scheme.isEmpty { request.fields.removeAll { $0.name == "Authorization" } }
            let response = try await servers.send(request)
            #expect(response.status == 400, "\(response.head)")
            #expect(response.error == "invalid_request")
        }
    }

    @Test(arguments: [nil, [:], "x", ["jkt": "short"], ["jkt": 1]] as [JSONValue?])
    func `attack 105, unbound_token_with_dpop_scheme`(confirmation: JSONValue?) async throws {
        try await expectRefused { $0["cnf"] = confirmation }
    }

    @Test func `attack 106, two_authorization_headers`() async throws {
        try await withServers { servers, grant in
            var request = try await servers.honestRequest(.api, grant)
            request.fields.append(("Authorization", "DPoP \(grant.accessToken)"))
            let response = try await servers.send(request)
            #expect(response.status == 400, "\(response.head)")
            #expect(response.error == "invalid_request")
        }
    }

    @Test(arguments: ["https://other.example.com", "https://api.example.com/", [], nil] as [JSONValue?])
    func `attack 107, at_wrong_aud`(audience: JSONValue?) async throws {
        try await expectRefused { $0["aud"] = audience }
    }

    @Test(arguments: ["https://evil.example", "https://auth.example.com/", nil] as [JSONValue?])
    func `attack 108, at_wrong_iss`(issuer: JSONValue?) async throws {
        try await expectRefused { $0["iss"] = issuer }
    }

    @Test(arguments: ["JWT", "dpop+jwt", nil] as [JSONValue?])
    func `attack 108, at_id_token_swapped`(type: JSONValue?) async throws {
        try await expectRefused(header: { $0["typ"] = type })
    }

    @Test(arguments: ["none", "None", "HS256", "RS256"])
    func `attack 109, at_alg_none, HS256_with_rsa_pub`(algorithm: String) async throws {
        try await expectRefused(header: { $0["alg"] = .string(algorithm) })
    }

    @Test func `attack 109, a token without a signature`() async throws {
        try await withServers { servers, grant in
            let unsigned = grant.accessToken.split(separator: ".").prefix(2).joined(separator: ".") + "."
            let response = try await send(unsigned, servers, grant)
            #expect(response.status == 401, "\(response.head)")
        }
    }

    @Test func `attack 110, at_expired`() async throws {
        try await expectRefused { $0["exp"] = .number(JSONNumber(FixedClock().now().secondsSince1970 - 11)) }
    }

    @Test(arguments: ["nbf", "iat"])
    func `attack 110, at_nbf`(name: String) async throws {
        try await expectRefused { $0[name] = .number(JSONNumber(FixedClock().now().secondsSince1970 + 3600)) }
    }

    @Test func `attack 112, proof_jwt_used_as_access_token`() async throws {
        try await withServers { servers, grant in
            let proof = try await servers.proof(for: .api, grant).signed()
            #expect(try await send(proof, servers, grant).error == "invalid_token")
        }
    }

    @Test func `attacks 112 and 113, access_token_as_proof, client_assertion_used_as_proof`() async throws {
        try await withServers { servers, grant in
            var assertion = try servers.proof(for: .api, grant)
            assertion.header["typ"] = "JWT"
            assertion.claims["sub"] = "app"
            assertion.claims["aud"] = .string(WireServers.issuer)
            for text in [grant.accessToken, try await assertion.signed()] {
                let response = try await servers.send(WireRequest(.api, grant).with([text]))
                #expect(response.status == 401 && response.error == "invalid_dpop_proof", "\(response.head)")
            }
        }
    }

    @Test(arguments: [["x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"], ["kid": "one"]] as [JSONValue])
    func `attack 114, cnf_present_but_unknown_method`(confirmation: JSONValue) async throws {
        try await expectRefused { $0["cnf"] = confirmation }
    }
}
