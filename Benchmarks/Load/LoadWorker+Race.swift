// SPDX-License-Identifier: Apache-2.0

import DPoP
import PKCE

extension LoadWorker {
    /// A proof for the token endpoint, or for pushed requests, with the nonce that the server requires.
    func proof(isPushed: Bool) async throws -> String {
        let uri = isPushed ? try TargetURI(parsing: plan.origin + plan.pushPath) : tokenURI
        return try await proofs.proof(method: "POST", targetURI: uri, nonce: nonce)
    }

    /// Requests a client credentials token with a proof that other workers may send too; returns the status of the
    /// response.
    func useForToken(_ proof: String) throws -> Int {
        let body = Self.encode([("grant_type", "client_credentials"), ("scope", plan.serviceScope)])
        let fields = [("DPoP", proof), ("Authorization", authorization)]
        return try connection.exchange("POST", plan.tokenPath, fields: fields, body: body).status
    }

    /// Pushes a new request with a proof that other workers may send too; returns the status of the response.
    func useForPush(_ proof: String) throws -> Int {
        let body = authorizationRequest(CodeVerifier())
        return try connection.exchange("POST", plan.pushPath, fields: [("DPoP", proof)], body: body).status
    }

    func push() throws -> String {
        let answer = try connection.exchange(
            "POST",
            plan.pushPath,
            fields: [],
            body: authorizationRequest(CodeVerifier())
        )
        guard let uri = answer.member("request_uri") else { throw BenchmarkError("push: \(answer.summary)") }
        return uri
    }

    /// Opens a pushed request in the browser of a user who has consented; returns whether it yielded a code.
    func open(_ requestURI: String) throws -> Bool {
        let query = Self.encode([("client_id", plan.publicClient), ("request_uri", requestURI)])
        return try connection.exchange("GET", "\(plan.authorizePath)?\(query)", fields: [("Cookie", plan.cookie)]).code
            != nil
    }
}
