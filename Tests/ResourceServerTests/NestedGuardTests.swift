// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 9449 section 11.1: several requirements for one request")
struct NestedGuardTests {
    private let api: GuardedAPI

    init() throws {
        api = try GuardedAPI { $0.acceptsTokensThatAreBoundToNothing = true }
    }

    private func accepted(_ decision: GuardDecision) throws -> AuthorizedRequest {
        switch decision {
        case .accepted(let authorized): return authorized
        case .rejected(let rejection):
            Issue.record("rejected: \(rejection.response.fields.values(for: "WWW-Authenticate"))")
            throw Rejected()
        }
    }

    private struct Rejected: Error {}

    private func rejection(_ decision: GuardDecision) throws -> HTTPResponse {
        guard case .rejected(let rejection) = decision else {
            Issue.record("accepted")
            throw Rejected()
        }
        return rejection.response
    }

    @Test func `a request that the guard accepted is checked for more, with the proof that it has`() async throws {
        let token = try await api.accessToken { $0["acr"] = "mfa" }
        let request = api.request(token, try await api.proof(for: token))
        let outer = GuardRequirement(scope: try Scope(["api:read"]))
        let first = try accepted(await api.requestGuard.check(request, for: outer, after: nil))
        let inner = GuardRequirement(scope: try Scope(["api:write"]), contexts: ["mfa"])
        let second = try accepted(await api.requestGuard.check(request, for: inner, after: first))
        #expect(second.subject == "ada" && second.clientID == "app" && second.scope == first.scope)
        #expect(second.binding == first.binding && second.responseFields.all.isEmpty)
        #expect(api.recordedProofs == 1)
        // And once more within that.
        _ = try accepted(await api.requestGuard.check(request, for: outer, after: second))
    }

    @Test func `what the inner requirement demands is demanded`() async throws {
        let token = try await api.accessToken()
        let request = api.request(token, try await api.proof(for: token))
        let first = try accepted(await api.requestGuard.check(request, for: .init(), after: nil))
        let scope = GuardRequirement(scope: try Scope(["api:delete"]))
        let refused = try rejection(await api.requestGuard.check(request, for: scope, after: first))
        #expect(refused.status == 403)
        #expect(refused.fields["WWW-Authenticate"]?.contains("insufficient_scope") == true)
        for requirement in [GuardRequirement(contexts: ["mfa"]), GuardRequirement(maximumAge: .seconds(300))] {
            let weak = try rejection(await api.requestGuard.check(request, for: requirement, after: first))
            #expect(weak.status == 401)
            #expect(weak.fields["WWW-Authenticate"]?.contains("insufficient_user_authentication") == true)
        }
    }

    @Test func `a bearer token that the outer requirement allows is not one for the inner`() async throws {
        let token = try await api.accessToken { $0["cnf"] = nil }
        let request = api.request(token, nil, scheme: "Bearer")
        let first = try accepted(await api.requestGuard.check(request, for: .init(), after: nil))
        let bound = GuardRequirement(allowsUnboundTokens: false)
        let refused = try rejection(await api.requestGuard.check(request, for: bound, after: first))
        #expect(refused.status == 401)
    }

    @Test func `what another guard accepted does not count`() async throws {
        let other = try GuardedAPI(replay: api.replay)
        let token = try await api.accessToken()
        let request = api.request(token, try await api.proof(for: token))
        let first = try accepted(await other.requestGuard.check(request, for: .init(), after: nil))
        // Checked in full: with a store in common, the proof is a used one.
        let again = try rejection(await api.requestGuard.check(request, for: .init(), after: first))
        #expect(again.fields["WWW-Authenticate"]?.contains("invalid_dpop_proof") == true)
    }

    @Test func `two guards accept one request if they share their nonces, and have a store each`() async throws {
        let keys = FixedJWKSet(JWKSet([api.issuerKey.publicKey.named("key-1", algorithm: .es256)]))
        let configuration = GuardConfiguration(
            issuer: GuardedAPI.issuer,
            address: try URI(parsing: GuardedAPI.address)
        )
        func newNonces() -> DPoPNonceIssuer {
            DPoPNonceIssuer(role: .resourceServer, secrets: [DPoPNonceSecret(entropy: SystemEntropy())])
        }
        func newGuard(_ nonces: DPoPNonceIssuer) throws -> RequestGuard {
            try RequestGuard(configuration: configuration, keys: keys, nonces: nonces, clock: api.clock)
        }
        let nonces = newNonces()
        let (outer, inner) = (try newGuard(nonces), try newGuard(nonces))
        let token = try await api.accessToken()
        let without = api.request(token, try await api.proof(for: token))
        let challenge = try rejection(await outer.check(without, for: .init(), after: nil))
        let nonce = try #require(challenge.fields["DPoP-Nonce"])
        let request = api.request(token, try await api.proof(for: token, nonce: nonce))
        let first = try accepted(await outer.check(request, for: .init(), after: nil))
        _ = try accepted(await inner.check(request, for: .init(), after: first))
        // By default each guard has nonces of its own, and a proof has room for one.
        let stranger = try newGuard(newNonces())
        let refused = try rejection(await stranger.check(request, for: .init(), after: first))
        #expect(refused.fields["WWW-Authenticate"]?.contains("use_dpop_nonce") == true)
    }
}
