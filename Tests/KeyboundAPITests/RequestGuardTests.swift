// SPDX-License-Identifier: Apache-2.0

import JOSE
import KeyboundAPI
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

/// Publishes metadata and a key.
private struct Issuer: HTTPTransport {
    static let name = "https://auth.example.com"

    let key: SoftwareSigningKey
    /// `iss` of its tokens.
    var address = Self.name

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        let document: JSONObject? =
            switch request.target {
            case address + "/.well-known/oauth-authorization-server":
                ["issuer": .string(address), "jwks_uri": .string(address + "/keys")]
            case address + "/keys": JWKSet([key.publicKey.named("key-1", algorithm: .es256)]).json
            default: nil
            }
        return HTTPResponse(
            status: document == nil ? 404 : 200,
            body: document.map { JSONValue.object($0).encoded() } ?? []
        )
    }

    func token(for audience: String, boundTo holder: SoftwareSigningKey) async throws -> String {
        let now = SystemWallClock().now().secondsSince1970
        let claims: JSONObject = [
            "iss": .string(address), "sub": "ada", "aud": .string(audience), "client_id": "app", "jti": "token-1",
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)), "scope": "notes:read",
            "cnf": ["jkt": .string(holder.publicKey.thumbprint.description)],
        ]
        return try await CompactJWS.sign(
            header: ["typ": "at+jwt", "kid": "key-1"],
            payload: JSONValue.object(claims).encoded(),
            with: key
        )
    }
}

@Suite("A guard from an issuer and an address")
struct RequestGuardTests {
    private static let address = "https://api.example.com"

    private let issuer: Issuer
    private let holder: SoftwareSigningKey

    init() throws {
        issuer = Issuer(key: try TestKey.p256(1))
        holder = try TestKey.p256(2)
    }

    private func makeGuard(audience: String? = nil) throws -> RequestGuard {
        try RequestGuard(
            issuer: Issuer.name,
            address: Self.address,
            audience: audience,
            metadata: PublishedMetadata(scopes: try Scope(["notes:read"]), name: "Notes"),
            transport: issuer
        )
    }

    private func check(_ apiGuard: RequestGuard, token: String, nonce: String?) async throws -> GuardDecision {
        let proof = try await DPoPProofFactory(key: holder).proof(
            method: "GET",
            targetURI: try TargetURI(parsing: Self.address + "/notes"),
            accessToken: token,
            nonce: nonce
        )
        let request = HTTPRequest(target: "/notes", fields: ["Authorization": "DPoP \(token)", "DPoP": proof])
        return await apiGuard.check(request, for: GuardRequirement(scope: try Scope(["notes:read"])))
    }

    /// Calls as clients do: the first answer has the nonce.
    private func call(_ apiGuard: RequestGuard, token: String) async throws -> GuardDecision {
        guard case .rejected(let first) = try await check(apiGuard, token: token, nonce: nil),
            let nonce = first.response.fields["DPoP-Nonce"]
        else {
            Issue.record("a proof without a nonce was accepted, or the answer has none")
            return try await check(apiGuard, token: token, nonce: nil)
        }
        return try await check(apiGuard, token: token, nonce: nonce)
    }

    @Test(arguments: [nil, "urn:notes"])
    func `the keys are found, and a token of the issuer for this API is accepted`(_ audience: String?) async throws {
        let apiGuard = try makeGuard(audience: audience)
        let token = try await issuer.token(for: audience ?? Self.address, boundTo: holder)
        guard case .accepted(let authorized) = try await call(apiGuard, token: token) else {
            Issue.record("rejected")
            return
        }
        #expect(authorized.subject == "ada")
        #expect(apiGuard.metadata?.authorizationServers == [Issuer.name])
    }

    @Test func `a token for another API is rejected`() async throws {
        let token = try await issuer.token(for: "https://other.example.com", boundTo: holder)
        let apiGuard = try makeGuard()
        guard case .rejected(let rejection) = try await check(apiGuard, token: token, nonce: nil) else {
            Issue.record("accepted")
            return
        }
        #expect(rejection.response.fields["WWW-Authenticate"]?.contains(#"error="invalid_token""#) == true)
    }

    @Test(arguments: [
        ("auth.example.com", address), ("", address), (Issuer.name, "api.example.com"), (Issuer.name, address + "/"),
        (Issuer.name, address + "?a"), ("http://auth.example.com", address), ("http://localhost:8080", address),
        ("ftp://127.0.0.1", address),
    ])
    func `an address that cannot be one is an error`(_ issuer: String, _ address: String) {
        let error = #expect(throws: ResourceServerError.self) { try RequestGuard(issuer: issuer, address: address) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func `an issuer on loopback needs no TLS`() throws {
        _ = try RequestGuard(issuer: "http://127.0.0.1:8080", address: Self.address)
    }

    @Test func `each of several issuers has its keys, and tokens that name one are verified with no other`()
        async throws
    {
        let partner = Issuer(key: try TestKey.p256(3), address: "https://partner.example.org")
        var accepted = try AcceptedIssuer(partner.address, transport: partner)
        accepted.audience = "notes-api"
        let apiGuard = try RequestGuard(
            issuers: [accepted, AcceptedIssuer(Issuer.name, transport: issuer)],
            address: Self.address,
            metadata: PublishedMetadata(scopes: try Scope(["notes:read"]))
        )
        #expect(apiGuard.metadata?.authorizationServers == [partner.address, Issuer.name])
        for (server, audience) in [(partner, "notes-api"), (issuer, Self.address)] {
            let token = try await server.token(for: audience, boundTo: holder)
            guard case .accepted(let authorized) = try await call(apiGuard, token: token) else {
                Issue.record("rejected: \(server.address)")
                continue
            }
            #expect(authorized.issuer == server.address)
        }
        let mixed = Issuer(key: partner.key, address: Issuer.name)
        for (server, audience) in [(mixed, Self.address), (partner, Self.address), (issuer, "notes-api")] {
            let token = try await server.token(for: audience, boundTo: holder)
            guard case .rejected(let rejection) = try await check(apiGuard, token: token, nonce: nil) else {
                Issue.record("accepted: \(server.address)")
                continue
            }
            #expect(rejection.reason.check == "access-token")
        }
    }

    @Test func `no issuer, or one that is listed twice, is an error`() throws {
        let accepted = try AcceptedIssuer(Issuer.name, transport: issuer)
        for issuers in [[], [accepted, accepted]] as [[AcceptedIssuer]] {
            let error = #expect(throws: ResourceServerError.self) {
                try RequestGuard(issuers: issuers, address: Self.address)
            }
            #expect(error?.code == .invalidConfiguration)
        }
    }
}
