// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@testable import ResourceServer

@Suite("RFC 9449 sections 7.1 and 7.2: bearer tokens beside bound ones")
struct BearerTokenTests {
    enum Token: CaseIterable, Sendable {
        case unbound
        case bound
        /// Bound to a certificate.
        case certificate
    }

    enum Presentation: CaseIterable, Sendable {
        case bearer
        case dpop
        case both
    }

    /// The status, and the challenges without their descriptions.
    private static func expected(_ isAllowed: Bool, _ token: Token, _ presentation: Presentation) -> (Int, [String]) {
        let bearer = isAllowed ? ["Bearer"] : []
        switch (presentation, token, isAllowed) {
        case (.bearer, .unbound, true), (.dpop, .bound, _): return (200, [])
        case (.both, _, true): return (400, ["Bearer invalid_request", "DPoP invalid_request"])
        case (.bearer, _, _), (.both, _, false): return (401, ["Bearer invalid_token", "DPoP"])
        case (.dpop, _, _): return (401, ["DPoP invalid_token"] + bearer)
        }
    }

    @Test(arguments: [false, true], Token.allCases)
    func `a token without cnf is accepted where the API says so, with the scheme Bearer alone`(
        isAllowed: Bool,
        token: Token
    ) async throws {
        for isConfigured in [true, false] {
            let api = try GuardedAPI { $0.acceptsTokensThatAreBoundToNothing = isConfigured && isAllowed }
            let requirement = GuardRequirement(allowsUnboundTokens: isConfigured ? nil : isAllowed)
            for presentation in Presentation.allCases {
                let text = try await api.accessToken { claims in
                    switch token {
                    case .unbound: claims["cnf"] = nil
                    case .bound: break
                    case .certificate: claims["cnf"] = ["x5t#S256": .string(String(repeating: "A", count: 43))]
                    }
                }
                var request = api.request(text, try await api.proof(for: text))
                if presentation != .dpop { request.fields["Authorization"] = "Bearer \(text)" }
                if presentation == .bearer { request.fields["DPoP"] = nil }
                let (status, challenges) = Self.expected(isAllowed, token, presentation)
                switch await api.requestGuard.check(request, for: requirement) {
                case .accepted(let authorized):
                    #expect(status == 200, "\(presentation)")
                    let key = api.clientKey.publicKey.thumbprint
                    #expect(authorized.binding == (token == .bound ? .key(key) : .nothing))
                case .rejected(let rejection):
                    #expect(rejection.response.status == status, "\(presentation)")
                    let found = try Challenge.parse(rejection.response.fields.values(for: "WWW-Authenticate")).map {
                        ([$0.scheme] + [$0.value(for: "error")].compactMap(\.self)).joined(separator: " ")
                    }
                    #expect(found == challenges, "\(presentation)")
                }
            }
        }
    }

    @Test func `without credentials, both schemes are named, with the scope to ask for`() async throws {
        let api = try GuardedAPI { $0.acceptsTokensThatAreBoundToNothing = true }
        let requirement = GuardRequirement(scope: try Scope(parsing: "api:read"))
        guard case .rejected(let rejection) = await api.requestGuard.check(HTTPRequest(target: "/"), for: requirement)
        else {
            Issue.record("accepted")
            return
        }
        #expect(
            rejection.response.fields.values(for: "WWW-Authenticate") == [
                "DPoP scope=\"api:read\", algs=\"ES256 Ed25519 EdDSA\"", "Bearer scope=\"api:read\"",
            ]
        )
    }

    @Test func `a bearer token needs the scope too`() async throws {
        let api = try GuardedAPI { $0.acceptsTokensThatAreBoundToNothing = true }
        let token = try await api.accessToken { $0["cnf"] = nil }
        let request = HTTPRequest(target: "/", fields: ["Authorization": "Bearer \(token)"])
        let requirement = GuardRequirement(scope: try Scope(parsing: "api:delete"))
        guard case .rejected(let rejection) = await api.requestGuard.check(request, for: requirement) else {
            Issue.record("accepted")
            return
        }
        #expect(rejection.response.status == 403)
        let challenges = rejection.response.fields.values(for: "WWW-Authenticate")
        #expect(challenges.first?.hasPrefix("Bearer error=\"insufficient_scope\"") == true)
        #expect(challenges.last == "DPoP algs=\"ES256 Ed25519 EdDSA\"")
    }
}
