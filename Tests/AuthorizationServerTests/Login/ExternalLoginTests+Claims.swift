// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import ServerStorage
import StrictJSON
import TestSupport
import Testing

/// The server has names for the claims `groups` and `email`.
extension ExternalLoginTests {
    /// What a sign-in with these claims in the response is answered with; `nil` for a response without the member.
    private func signIn(_ claims: JSONValue?) async throws -> HTTPResponse {
        let browser = FakeBrowser(server)
        let question = try await begin(browser).question
        return await come(back: try await response(to: question) { $0["claims"] = claims }, in: browser)
    }

    private func stored() async throws -> JSONObject? {
        try await server.storage.user(subject: "employee-17")?.claims
    }

    @Test func `claims in a response are stored with the user, and replaced by the next ones`() async throws {
        #expect(try await signIn(["groups": ["staff"], "email": "grace@example.com"]).status == 303)
        #expect(try await stored() == ["groups": ["staff"], "email": "grace@example.com"])
        #expect(try await signIn(nil).status == 303)
        #expect(try await stored() == ["groups": ["staff"], "email": "grace@example.com"])
        #expect(try await signIn(["groups": ["admin"]]).status == 303)
        #expect(try await stored() == ["groups": ["admin"]])
        #expect(try await signIn(.object(JSONObject())).status == 303)
        #expect(try await stored()?.members.isEmpty == true)
    }

    @Test func `a response cannot say what only the server says, nor what it has no name for`() async throws {
        let forged: JSONValue = [
            "sub": "subject-of-ada", "iss": "https://login.example.com", "acr": "urn:example:platinum",
            "client_id": "other", "act": ["sub": "admin"], "cnf": ["jkt": "x"], "preferred_username": "ada",
            "scope": "api:write", "roles": ["root"], "groups": ["staff"], "Groups": ["admin"],
        ]
        #expect(try await signIn(forged).status == 303)
        #expect(try await stored() == ["groups": ["staff"]])
    }

    @Test func `claims that are too large are refused, the log says why, and the user keeps what was there`()
        async throws
    {
        #expect(try await signIn(["groups": ["staff"]]).status == 303)
        let many = (0..<210).map { JSONValue.string("group-\($0)") }
        expectRefused(try await signIn(["groups": .array(many)]))
        #expect(server.reports.all.last?.contains("the claims of a user have at most 2048 bytes") == true)
        #expect(try await stored() == ["groups": ["staff"]])
        // What is left out does not count.
        #expect(try await signIn(["groups": ["admin"], "other": .array(many)]).status == 303)
        #expect(try await stored() == ["groups": ["admin"]])
    }

    @Test(arguments: ["text", "array", "null", "null claim", "deep", "object in an array"])
    func `claims of another form are refused, and nothing is stored`(_ kind: String) async throws {
        let claims: JSONValue =
            switch kind {
            case "text": "groups"
            case "array": ["groups"]
            case "null": .null
            case "null claim": ["groups": .null]
            case "deep": ["groups": ["a": ["b": "c"]]]
            default: ["groups": [["a": "b"]]]
            }
        expectRefused(try await signIn(claims))
        #expect(try await stored() == nil)
    }
}
