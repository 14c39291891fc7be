// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import StrictJSON

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
            request carries a proof of one key, and an attestation that this key belongs to a genuine copy of the app: what \
            an attacker reads is of no use without the key.
            """
        )
        guard case .next(let signIn) = try await app.client.startFirstPartySignIn(scopes: [NotesAPI.scope]) else {
            return Result(isGood: false, rejectedAttacks: 0)
        }
        let attester = servers.attester
        transcript.verdict(attester.lastIssued != nil, "the publisher's attester attested the key of the app")
        let types = signIn.steps.map(\.type.rawValue).joined(separator: ", ")
        transcript.verdict(signIn.steps.first?.type == .password, "the server asks the app for a step: \(types)")
        let attestation = attester.lastIssued ?? ""
        var rejected = try await stolenSignIn(signIn) ? 1 : 0
        let answer = StepAnswer.password(username: DemoServers.username, password: servers.password)
        guard case .finished(let session) = try await signIn.answer(answer) else {
            return Result(isGood: false, rejectedAttacks: rejected)
        }
        let tokens = try await session.tokenManager.fetch()
        let key = tokens.keyThumbprint?.description ?? "nothing"
        transcript.verdict(
            tokens.tokenType == .dpop,
            "the password gave a code, and the code gave tokens of the key \(key)"
        )
        if try await copiedAttestation(attestation) { rejected += 1 }
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
            to: servers.issuer + "/authorize-challenge",
            // The attacker has the app on a device of its own.
            attestation: try await servers.attester.attestation(
                of: attacker.context.key,
                for: DemoServers.firstPartyClientID
            )
        )
        return isRejected(
            response,
            .invalidSession,
            "attack: a stolen sign-in and the right password, on another device"
        )
    }

    /// An attacker has copied the attestation, and asks users for their passwords in a program of its own.
    private func copiedAttestation(_ attestation: String) async throws -> Bool {
        let response = try await attacker.post(
            [
                "client_id": DemoServers.firstPartyClientID, "response_type": "code", "scope": NotesAPI.scope,
                // A challenge of the attacker's (RFC 7636 appendix B).
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
            ],
            to: servers.issuer + "/authorize-challenge",
            attestation: attestation
        )
        return isRejected(
            response,
            .invalidClientAttestation,
            "attack: the attestation of the app, copied into another program"
        )
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

    private func isRejected(_ response: HTTPResponse, _ error: OAuthErrorCode, _ attack: String) -> Bool {
        let answer = ProtocolResponse(response)
        let isRejected = answer.status == 400 && answer.error == error.rawValue
        transcript.verdict(
            isRejected,
            "\(attack): \(isRejected ? "rejected" : "NOT rejected"), \(answer.status) \(answer.error ?? "without error")"
        )
        return isRejected
    }
}
