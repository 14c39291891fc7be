// SPDX-License-Identifier: Apache-2.0

import DPoP
import PKCE

extension LoadWorker {
    private static let path = "/authorize-challenge"

    /// An app asks for the password itself, and gets a code.
    func signInWithoutBrowser() async throws {
        guard let app = plan.firstParty else { throw BenchmarkError("the plan has no app for this row") }
        let asked = try await challenge(request(of: app.client))
        guard asked.status == 403, let session = asked.member("auth_session") else {
            throw BenchmarkError("first-party: \(asked.summary)")
        }
        try keepSession(
            await challenge([
                ("client_id", app.client), ("auth_session", session), ("step", "password"),
                ("username", app.username), ("password", app.password),
            ])
        )
    }

    /// The same app gets a code for the next request, which its last sign-in meets.
    func continueWithoutBrowser() async throws {
        guard let app = plan.firstParty else { throw BenchmarkError("the plan has no app for this row") }
        try keepSession(await challenge(request(of: app.client) + [("auth_session", authSession)]))
    }

    private func request(of client: String) -> [(String, String)] {
        [
            ("response_type", "code"), ("client_id", client), ("scope", plan.scope),
            ("code_challenge", CodeVerifier().s256Challenge.value), ("code_challenge_method", "S256"),
        ]
    }

    private func challenge(_ form: [(String, String)]) async throws -> LoadResponse {
        let body = Self.encode(form)
        let uri = try TargetURI(parsing: plan.origin + Self.path)
        return try await withProof("POST", uri, accessToken: nil) { proof in
            try connection.exchange("POST", Self.path, fields: [("DPoP", proof)], body: body)
        }
    }

    private func keepSession(_ answer: LoadResponse) throws {
        guard answer.status == 200, answer.member("authorization_code") != nil,
            let session = answer.member("auth_session")
        else { throw BenchmarkError("first-party: \(answer.summary)") }
        authSession = session
    }
}
