// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import StrictJSON
import TestSupport
import Testing

@testable import ResourceServer

@Suite("Why a guard rejects a request, for the log of the API")
struct RejectionReasonTests {
    private let api: GuardedAPI

    init() throws {
        api = try GuardedAPI()
    }

    private func reason(_ request: HTTPRequest, needing scope: String = "") async throws -> RejectionReason {
        let requirement = GuardRequirement(scope: scope.isEmpty ? .empty : try Scope(parsing: scope))
        guard case .rejected(let rejection) = await api.requestGuard.check(request, for: requirement) else {
            throw Unexpected()
        }
        return rejection.reason
    }

    private struct Unexpected: Error {}

    @Test func `names the check, its section, and what the request had to have`() async throws {
        let token = try await api.accessToken()
        let proof = try await api.proof(for: token)
        #expect(try await reason(HTTPRequest(target: "/")).check == "credentials")
        var elsewhere = api.request(token, proof)
        elsewhere.target = "/elsewhere"
        let target = try await reason(elsewhere)
        #expect(target.check == "target-uri" && target.section == "RFC 9449 section 4.3, check 9")
        #expect(target.expected == "htu = https://api.example.com/elsewhere")
        var posted = api.request(token, proof)
        posted.method = "PUT"
        #expect(try await reason(posted).expected == "htm = PUT")
        let bearer = HTTPRequest(target: "/notes", fields: ["Authorization": "Bearer \(token)"])
        #expect(try await reason(bearer).description.contains("expected the scheme DPoP, found the scheme Bearer"))
        #expect(try await reason(api.request("x.y.z", proof)).check == "access-token")
        let scope = try await reason(api.request(token, proof), needing: "api:nothing")
        #expect(scope.check == "scope" && scope.expected == "scope = api:nothing")
    }

    @Test func `a proof that is used twice fails at the step of replay`() async throws {
        let request = try await api.honestRequest()
        #expect(await api.send(request).status == 200)
        #expect(try await reason(request).check == "replay")
    }

    @Test func `no reason contains a token, a proof or anything else that was sent`() async throws {
        let marker = "MARKER-that-must-not-be-seen"
        let token = try await api.accessToken { $0["client_id"] = .string(marker) }
        let requests = [
            HTTPRequest(target: "/\(marker)", fields: ["Authorization": "DPoP \(marker)"]),
            HTTPRequest(target: "/", fields: ["Authorization": "Bearer \(marker)"]),
            HTTPRequest(target: "/", fields: ["Authorization": "\(marker) x"]),
            api.request(token, marker), api.request(marker, ""),
        ]
        for request in requests {
            let reason = try await reason(request)
            #expect(!"\(reason)".contains(marker) && !"\(reason)".contains(token))
        }
    }
}
