// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@testable import ResourceServer

@Suite("RFC 9470 section 3: how and when the user signed in")
struct StepUpTests {
    private let api: GuardedAPI

    init() throws {
        api = try GuardedAPI()
    }

    private func decision(
        _ requirement: GuardRequirement,
        acr: JSONValue?,
        age: Int64?
    ) async throws -> GuardDecision {
        let now = api.clock.now().secondsSince1970
        let token = try await api.accessToken { claims in
            claims["acr"] = acr
            claims["auth_time"] = age.map { .number(JSONNumber(now - $0)) }
        }
        return await api.requestGuard.check(
            api.request(token, try await api.proof(for: token)),
            for: requirement
        )
    }

    @Test(
        arguments: [
            ("mfa", 0, true), ("mfa", 310, true), ("mfa", 311, false), ("mfa", nil, false),
            ("mfa", -10, true), ("mfa", -11, false), ("mfa", -86_400, false),
            ("phr", 0, true), ("MFA", 0, false), ("mfa phr", 0, false), (nil, 0, false),
        ] as [(String?, Int64?, Bool)]
    )
    func `the context is one of those, and the sign-in is recent and not to come, with the leeway of clocks`(
        acr: String?,
        age: Int64?,
        isAccepted: Bool
    ) async throws {
        let requirement = GuardRequirement(contexts: ["mfa", "phr"], maximumAge: .seconds(300))
        switch try await decision(requirement, acr: acr.map { .string($0) }, age: age) {
        case .accepted: #expect(isAccepted)
        case .rejected(let rejection):
            #expect(!isAccepted)
            #expect(rejection.response.status == 401)
            #expect(
                rejection.response.fields.values(for: "WWW-Authenticate") == [
                    "DPoP error=\"insufficient_user_authentication\", "
                        + "error_description=\"A different authentication level is required\", "
                        + "acr_values=\"mfa phr\", max_age=\"300\", algs=\"ES256 Ed25519 EdDSA\""
                ]
            )
            #expect(api.recordedProofs == 0)
        }
    }

    @Test func `the challenge names only what is demanded`() async throws {
        for (requirement, parameter) in [
            (GuardRequirement(contexts: ["mfa"]), "acr_values=\"mfa\""),
            (GuardRequirement(maximumAge: .zero), "max_age=\"0\""),
        ] {
            guard case .rejected(let rejection) = try await decision(requirement, acr: nil, age: nil) else {
                Issue.record("accepted")
                continue
            }
            let text = try #require(rejection.response.fields["WWW-Authenticate"])
            #expect(text.contains("required\", \(parameter), algs="))
            #expect(rejection.reason.check == "authentication" && rejection.reason.section == "RFC 9470 section 3")
        }
    }

    @Test func `a claim of another type is none`() async throws {
        let requirement = GuardRequirement(contexts: ["mfa"])
        for acr in [["mfa"], 1, .null] as [JSONValue] {
            guard case .rejected = try await decision(requirement, acr: acr, age: 0) else {
                Issue.record("accepted \(acr)")
                continue
            }
        }
    }

    @Test func `who has no proof of the key learns nothing about scope and sign-in`() async throws {
        let token = try await api.accessToken { $0["scope"] = "api:read" }
        let requirement = GuardRequirement(scope: try Scope(parsing: "api:write"), contexts: ["mfa"])
        let request = api.request(token, "")
        guard case .rejected(let rejection) = await api.requestGuard.check(request, for: requirement) else {
            Issue.record("accepted")
            return
        }
        let text = try #require(rejection.response.fields["WWW-Authenticate"])
        #expect(text.contains("invalid_dpop_proof") && !text.contains("scope=") && !text.contains("acr_values"))
    }
}
