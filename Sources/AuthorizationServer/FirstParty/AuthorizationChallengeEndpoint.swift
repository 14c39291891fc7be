// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

/// The authorization challenge endpoint (OAuth 2.0 for First-Party Applications section 5): an app asks for the password
/// itself, and gets a code for its key.
struct AuthorizationChallengeEndpoint: Sendable {
    /// A request that passed its checks, and what must be recorded with its change.
    typealias Checked<Stage: ProvenStage> = CheckedRequest<Stage>

    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let received = ReceivedRequest(
            http,
            at: services.addresses.authorizationChallenge,
            now: services.clock.now()
        )
        do {
            let form = try await CheckTable.authorizationChallenge.run(received, services)
            return form.isFirstPartyAnswer ? try await answer(form) : try await start(form)
        } catch {
            return .failure(error)
        }
    }

    /// Handles the first request of a sign-in (section 5.1).
    private func start(_ form: FormRequest) async throws(ProtocolFailure) -> HTTPResponse {
        let checked = try await CheckTable.firstPartyRequest.run(form, services)
        let request = CheckedAuthorizationRequest(checked.stage)
        if let reason = WebRedirection.reason(for: request, services) {
            return try await redirect(request, because: reason, checked)
        }
        let earlier = checked.stage.clientRequest.signIn.session
        switch request.signInPlan(for: earlier?.user, signedInForThis: false, at: form.now) {
        case .refuse(let error): throw ProtocolFailure(error)
        case .finished:
            // There is a plan without a question for a finished session alone.
            guard let earlier, let user = earlier.user else { throw .sessionRejected }
            services.record(.firstPartyStarted, subject: user.subject, detail: "step-up")
            return try await finish(earlier, request, as: user, judgedBy: nil, checked)
        case .ask:
            return try await open(request, checked)
        }
    }

    /// Stores a new session, and asks for its first step.
    private func open(
        _ request: CheckedAuthorizationRequest,
        _ checked: Checked<some ProvenStage>
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let now = checked.stage.now
        try services.firstPartyLimiters.open(checked.stage, services, at: now)
        let id = Grant.newID(in: services.entropy.bytes(1)[0], at: now, services.entropy)
        let value = try newValue(of: id)
        let session = StoredFirstPartySession(
            id: id,
            valueHash: value.hash,
            request: request.request,
            offered: SignInSteps.first,
            expiresAt: now + services.configuration.firstParty.sessionLifetime
        )
        try await services.write(checked.recording, for: checked.stage) { storage, recording in
            try await storage.add(session, recording: recording, at: now)
        }
        services.record(.firstPartyStarted, detail: "new")
        return ChallengeResponse.ask(session, value.text, after: checked.stage, services)
    }

    /// Sends the user to the browser without a session.
    private func redirect(
        _ request: CheckedAuthorizationRequest,
        because reason: WebRedirection.Reason,
        _ checked: Checked<some ProvenStage>
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let web = WebRedirection(of: request, services)
        try await services.write(checked.recording, for: checked.stage) { storage, recording in
            guard let stored = web.stored else {
                return try await storage.recordIfNeeded(recording, at: request.createdAt)
            }
            return try await storage.add(stored, recording: recording, at: request.createdAt)
        }
        services.record(.sentToBrowser, detail: reason.rawValue)
        return ChallengeResponse.redirect(web, after: checked.stage, services)
    }

    /// A new value for a session.
    func newValue(of id: String) throws(ProtocolFailure) -> (text: String, hash: SecretHash) {
        guard let text = AuthSession.make(for: id, services.entropy) else {
            services.report("the identifier of a sign-in is malformed")
            throw .unavailable
        }
        return (text, SecretHash(of: text))
    }
}

extension FormRequest {
    /// Whether the request answers a step: it continues a session, and makes no request of its own.
    fileprivate var isFirstPartyAnswer: Bool {
        !parameters.values(for: FirstPartyParameter.authSession).isEmpty
            && parameters.values(for: "code_challenge").isEmpty
    }
}
