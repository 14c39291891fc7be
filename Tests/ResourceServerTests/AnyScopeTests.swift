// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import ResourceServer
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 6750 section 3.1: one of several scopes")
struct AnyScopeTests {
    private let api: GuardedAPI

    init() throws {
        api = try GuardedAPI()
    }

    /// The scope that the challenge names, and the reason; both are `nil` if the request is accepted.
    private func demanded(
        _ requirement: GuardRequirement,
        having scope: String
    ) async throws -> (scope: String?, reason: RejectionReason?) {
        let token = try await api.accessToken { $0["scope"] = .string(scope) }
        let request = api.request(token, try await api.proof(for: token))
        let recorded = api.recordedProofs
        guard case .rejected(let rejection) = await api.requestGuard.check(request, for: requirement) else {
            return (nil, nil)
        }
        try expect(rejection.response, isChallengeWith: "insufficient_scope", status: 403)
        #expect(api.recordedProofs == recorded)
        let challenge = try Challenge.parse(rejection.response.fields.values(for: "WWW-Authenticate")).first
        return (challenge?.value(for: "scope"), rejection.reason)
    }

    @Test(arguments: ["notes:read", "notes:admin", "notes:admin notes:read", "x notes:admin y"])
    func `one of the scopes is enough`(_ scope: String) async throws {
        let requirement = GuardRequirement(anyScope: try Scope(["notes:read", "notes:admin"]))
        #expect(try await demanded(requirement, having: scope).reason == nil)
    }

    @Test(arguments: ["", "notes", "notes:write", "NOTES:READ", "notes:readx"])
    func `without any, the challenge names the first`(_ scope: String) async throws {
        let requirement = GuardRequirement(anyScope: try Scope(["notes:read", "notes:admin"]))
        let (named, reason) = try await demanded(requirement, having: scope)
        #expect(named == "notes:read")
        #expect(reason?.check == "scope")
        #expect(reason?.expected == "scope = notes:read or notes:admin")
    }

    @Test func `all of one list and one of the other are needed`() async throws {
        let requirement = GuardRequirement(
            scope: try Scope(["notes", "files"]),
            anyScope: try Scope(["read", "admin"])
        )
        for (scope, named) in [
            ("notes files read", nil), ("notes files admin", nil), ("notes files", "notes files read"),
            ("notes read", "notes files read"), ("read admin", "notes files read"),
            // What the token has is asked for again: a client may ask for nothing else.
            ("notes admin", "notes files admin"),
        ] as [(String, String?)] {
            let demand = try await demanded(requirement, having: scope)
            #expect(demand.scope == named, "\(scope)")
            guard named != nil else { continue }
            #expect(demand.reason?.expected == "scope = notes files, and read or admin")
        }
    }

    @Test func `each of several lists must be met`() async throws {
        var requirement = GuardRequirement(anyScope: try Scope(["a", "b"]))
        requirement.anyScopes.append(try Scope(["b", "c"]))
        #expect(try await demanded(requirement, having: "b").reason == nil)
        #expect(try await demanded(requirement, having: "a c").reason == nil)
        #expect(try await demanded(requirement, having: "c").scope == "a c")
        #expect(try await demanded(requirement, having: "").scope == "a b")
        // A list without scopes is one that no token meets.
        requirement.anyScopes = [.empty]
        let impossible = try await demanded(requirement, having: "a b c")
        #expect(impossible.reason?.check == "scope" && impossible.scope == nil)
    }

    @Test func `without credentials, the challenge names what is needed, and the first of the others`() async throws {
        let requirement = GuardRequirement(scope: try Scope(["notes"]), anyScope: try Scope(["read", "admin"]))
        guard case .rejected(let rejection) = await api.requestGuard.check(HTTPRequest(target: "/"), for: requirement)
        else {
            Issue.record("accepted")
            return
        }
        #expect(
            rejection.response.fields.values(for: "WWW-Authenticate") == [
                "DPoP scope=\"notes read\", algs=\"ES256 Ed25519 EdDSA\""
            ]
        )
    }
}
