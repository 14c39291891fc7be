// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore

/// The chapter about a sign-in without a browser: the app asks for the password itself, two attacks on that fail, and the
/// browser takes over where the app wants it.
struct DemoDirectSignIn: Sendable {
    /// What came of the chapter.
    struct Result {
        let isGood: Bool
        let rejectedAttacks: Int
    }

    static let attackCount = 2

    let servers: DemoServers
    /// The app, as a client that the server knows as first-party.
    let app: DemoApp
    let attacker: Attacker
    let transcript: Transcript

    func run() async throws -> Result {
        transcript.scene("Sign in without a browser")
        transcript.explain(
            """
            An app of the server's own publisher asks for the password itself (OAuth 2.0 for First-Party Applications). Each \
            request carries PKCE or auth_session, and a proof of one key: who reads them has nothing without that key.
            """
        )
        guard case .next(let signIn) = try await app.client.startFirstPartySignIn(scopes: [NotesAPI.scope]) else {
            return Result(isGood: false, rejectedAttacks: 0)
        }
        let types = signIn.steps.map(\.type.rawValue).joined(separator: ", ")
        transcript.verdict(signIn.steps.first?.type == .password, "the server asks the app for a step: \(types)")
        var rejected = try await stolenSignIn(signIn) ? 1 : 0
        let answer = StepAnswer.password(username: DemoServers.username, password: servers.password)
        guard case .finished(let session) = try await signIn.answer(answer) else {
            return Result(isGood: false, rejectedAttacks: rejected)
        }
        let tokens = try await session.tokenManager.fetch()
        let key = tokens.keyThumbprint?.description ?? "nothing"
        transcript.verdict(
            tokens.tokenType == .dpop,
            "the password gave a code, and the code tokens bound to the key \(key)"
        )
        if try await stolenFinishedSignIn(tokens) { rejected += 1 }
        let hasGoneOn = try await goOnInBrowser()
        return Result(isGood: tokens.tokenType == .dpop && hasGoneOn, rejectedAttacks: rejected)
    }

    /// An attacker has the sign-in and even the password, and a key of its own.
    private func stolenSignIn(_ signIn: FirstPartySignIn) async throws -> Bool {
        let response = try await attacker.post(
            [
                "client_id": DemoServers.firstPartyClientID,
                "auth_session": signIn.state.json["auth_session"]?.stringValue ?? "",
                "step": "password", "username": DemoServers.username, "password": servers.password,
            ],
            to: servers.issuer + "/authorize-challenge"
        )
        return isRejected(response, "attack: a stolen sign-in and the right password, with another key")
    }

    /// An attacker has what the app keeps of the finished sign-in.
    private func stolenFinishedSignIn(_ tokens: TokenSet) async throws -> Bool {
        let response = try await attacker.post(
            [
                "client_id": DemoServers.firstPartyClientID, "response_type": "code", "scope": NotesAPI.scope,
                // A challenge of the attacker's: the app's verifier is not needed for it.
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
                "auth_session": tokens.json["auth_session"]?.stringValue ?? "",
            ],
            to: servers.issuer + "/authorize-challenge"
        )
        return isRejected(response, "attack: a finished sign-in, asked for another code with another key")
    }

    private func goOnInBrowser() async throws -> Bool {
        var options = AuthorizationOptions()
        // Otherwise the finished sign-in would do.
        options.prompts = [.login]
        let progress = try await app.client.startFirstPartySignIn(scopes: [NotesAPI.scope], options: options)
        guard case .next(let signIn) = progress,
            case .redirectToWeb(let continuation) = try await signIn.answer(.redirectToWeb)
        else { return false }
        let session = try await continuation.signIn(using: app.userAgent)
        let isBound = try await session.tokenManager.fetch().tokenType == .dpop
        transcript.verdict(isBound, "another time the browser took over, with the same key")
        transcript.setSilent(true)
        defer { transcript.setSilent(false) }
        return await session.signOut().failure == nil && isBound
    }

    private func isRejected(_ response: HTTPResponse, _ attack: String) -> Bool {
        let answer = ProtocolResponse(response)
        let isRejected = answer.status == 400 && answer.error == OAuthErrorCode.invalidSession.rawValue
        transcript.verdict(
            isRejected,
            "\(attack): \(isRejected ? "rejected" : "NOT rejected"), \(answer.status) \(answer.error ?? "without error")"
        )
        return isRejected
    }
}
