// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore

/// Five attacks on the running servers, each with real stolen secrets, and the result read from the real response.
struct DemoAttacks: Sendable {
    let servers: DemoServers
    let app: DemoApp
    let session: OAuthSession
    let attacker: Attacker
    let transcript: Transcript

    /// Runs all five.
    ///
    /// - Returns: How many were rejected as expected.
    func run() async throws -> Int {
        var refused = 0
        for attack in [stolenCode, bearerToken, replayedProof, otherURL, otherKey] where try await attack() {
            refused += 1
        }
        return refused
    }

    @Sendable private func stolenCode() async throws -> Bool {
        transcript.scene("Attack: a stolen authorization code")
        transcript.explain(
            """
            The app signs in once more, and an attacker reads the redirect with the code before the app does. The attacker \
            has the code, but neither the code verifier (PKCE) nor the app's key (DPoP).
            """
        )
        transcript.setSilent(true)
        let eavesdropped = RecordingUserAgent(app.userAgent)
        let callback = try await eavesdropped.authorize(redirectURI: DemoApp.redirectURI) { redirectURI in
            try await app.client.initiateAuthorization(scopes: [NotesAPI.scope], redirectURI: redirectURI)
        }
        transcript.setSilent(false)
        let query = try FormParameters(decoding: (try URI(parsing: callback.url)).query ?? "")
        let response = try await attacker.post(
            [
                "grant_type": "authorization_code",
                "code": try query.value(for: "code") ?? "",
                "redirect_uri": String(callback.url.prefix { $0 != "?" }),
                "client_id": DemoServers.clientID,
                "code_verifier": "the-attacker-can-only-guess-what-the-verifier-is",
            ],
            to: servers.issuer + "/token"
        )
        let isRejected = judge(response, 400, "invalid_grant")
        // The failed attempt must not have consumed the code.
        transcript.setSilent(true)
        let tokens = try await app.client.exchangeAuthorizationCode(
            app.client.parseAuthorizationResponse(callback)
        )
        transcript.setSilent(false)
        transcript.verdict(tokens.tokenType == .dpop, "the app could still use the code: nothing was lost")
        return isRejected && tokens.tokenType == .dpop
    }

    @Sendable private func bearerToken() async throws -> Bool {
        transcript.scene("Attack: a stolen access token, used as a bearer token")
        transcript.explain("An attacker found the access token in a log and sends it as a plain bearer token.")
        let token = try await session.tokenManager.fetch().accessToken.value
        let response = try await attacker.send(
            HTTPRequest(target: servers.apiAddress + "/notes", fields: ["Authorization": "Bearer \(token)"])
        )
        return judge(response, 401, "invalid_token")
    }

    @Sendable private func replayedProof() async throws -> Bool {
        transcript.scene("Attack: a recorded request, sent again")
        transcript.explain(
            "The token and the proof of a call that just succeeded. The proof is valid, but it works only once."
        )
        guard let recorded = app.transport.lastCall else { return false }
        return judge(try await attacker.send(recorded), 401, "invalid_dpop_proof")
    }

    @Sendable private func otherURL() async throws -> Bool {
        transcript.scene("Attack: a fresh proof, used for another URL")
        transcript.explain(
            """
            A call to /drafts is intercepted before it arrives, so its proof was never used. The attacker turns \
            it into a call to /notes.
            """
        )
        app.transport.stealNextCall()
        _ = try? await session.send(HTTPRequest(target: servers.apiAddress + "/drafts"))
        guard var stolen = app.transport.stolenRequest else { return false }
        stolen.target = servers.apiAddress + "/notes"
        return judge(try await attacker.send(stolen), 401, "invalid_dpop_proof")
    }

    @Sendable private func otherKey() async throws -> Bool {
        transcript.scene("Attack: a stolen refresh token, used with another key")
        transcript.explain(
            "The most valuable secret to steal. But it is bound to the app's key, and the attacker has only another "
                + "key."
        )
        let token = try await session.tokenManager.fetch().refreshToken?.value ?? ""
        let response = try await attacker.post(
            ["grant_type": "refresh_token", "refresh_token": token, "client_id": DemoServers.clientID],
            to: servers.issuer + "/token"
        )
        let isRejected = judge(response, 400, "invalid_grant")
        transcript.setSilent(true)
        _ = try await session.tokenManager.refresh()
        transcript.setSilent(false)
        transcript.verdict(true, "the app could still refresh: nothing was lost")
        return isRejected
    }

    /// Whether a response is the expected error.
    private func judge(_ response: HTTPResponse, _ status: Int, _ error: String) -> Bool {
        let answer = ProtocolResponse(response)
        let isRejected = answer.status == status && answer.error == error
        transcript.verdict(
            isRejected,
            isRejected
                ? "rejected: \(answer.status) \(error)"
                : "NOT rejected with \(status) \(error): the response is \(answer.status) \(answer.error ?? "without error")"
        )
        return isRejected
    }
}
