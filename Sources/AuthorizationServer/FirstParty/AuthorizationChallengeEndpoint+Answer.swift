// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

extension AuthorizationChallengeEndpoint {
    /// NIST SP 800-63B section 5.2.2: a session ends with this many wrong answers.
    private static let maximumWrongAnswers = 5

    /// Handles the answer to a step (section 5.3).
    func answer(_ form: FormRequest) async throws(ProtocolFailure) -> HTTPResponse {
        let checked = try await CheckTable.firstPartyAnswer.run(form, services)
        let (answer, session) = (checked.stage, checked.stage.session)
        let limit = try services.firstPartyLimiters.answer(answer, services, at: form.now)
        switch try await answer.step.judge(answer, services) {
        case .right(let right):
            limit.giveBack()
            return try await accept(right, checked)
        case .wrong:
            services.record(.firstPartyStepRefused, detail: "\(answer.step.type): wrong")
            return try await ask(again: session, checked)
        case .wait(let wait):
            limit.giveBack()
            throw .tooManyRequests("with wrong answers", retryAfter: wait)
        case .busy:
            limit.giveBack()
            throw .signInsBusy
        case .redirectToWeb:
            limit.giveBack()
            return try await redirect(checked)
        }
    }

    /// Issues the code, unless another user signed in than was asked for.
    private func accept(
        _ right: RightAnswer,
        _ checked: Checked<FirstPartyAnswer>
    ) async throws(ProtocolFailure) -> HTTPResponse {
        let answer = checked.stage
        let request = CheckedAuthorizationRequest(
            request: answer.session.request,
            client: answer.client,
            createdAt: answer.now
        )
        if case .refuse(let error) = request.signInPlan(for: right.user, signedInForThis: true, at: answer.now) {
            await right.attempt.succeed()
            try await end(checked)
            throw ProtocolFailure(error)
        }
        let response: HTTPResponse
        do {
            response = try await finish(
                answer.session,
                request,
                as: right.user,
                judgedBy: right.account.passwordHash,
                checked
            )
        } catch {
            // The server failed, not the user.
            if error.status >= 500 { await right.attempt.takeBack() }
            throw error
        }
        // Only now: the guesses of a lost race count.
        await right.attempt.succeed()
        services.firstPartyLimiters.close(answer, services)
        services.record(.firstPartyStepAnswered, subject: right.user.subject, detail: answer.step.type.rawValue)
        services.record(.signInSucceeded, subject: right.user.subject, detail: "first party")
        return response
    }

    /// Asks the same step again under a new value, or ends the session.
    private func ask(
        again session: StoredFirstPartySession,
        _ checked: Checked<FirstPartyAnswer>
    ) async throws(ProtocolFailure) -> HTTPResponse {
        guard session.wrongAnswers + 1 < Self.maximumWrongAnswers else {
            try await end(checked)
            throw ProtocolFailure(.accessDenied, "too many wrong answers: the sign-in has ended")
        }
        let (now, value) = (checked.stage.now, try newValue(of: session.id))
        var next = session
        next.valueHash = value.hash
        next.wrongAnswers += 1
        let advanced = next
        let isAdvanced = try await services.write(checked.recording, for: checked.stage) { storage, recording in
            try await storage.advance(from: session.valueHash, to: advanced, recording: recording, at: now)
        }
        guard isAdvanced else { throw raced(checked.stage) }
        return ChallengeResponse.ask(next, value.text, problem: .wrongAnswer, after: checked.stage, services)
    }

    /// Ends the session and sends the user to the browser, which asks for everything again (section 5.2.2.1).
    private func redirect(_ checked: Checked<FirstPartyAnswer>) async throws(ProtocolFailure) -> HTTPResponse {
        let answer = checked.stage
        let request = CheckedAuthorizationRequest(
            request: answer.session.request,
            client: answer.client,
            createdAt: answer.now
        )
        let web = WebRedirection(of: request, services)
        try await end(checked, storing: web.stored)
        services.record(.sentToBrowser, detail: WebRedirection.Reason.chosen.rawValue)
        return ChallengeResponse.redirect(web, after: answer, services)
    }

    /// Ends the session of an answer.
    private func end(
        _ checked: Checked<FirstPartyAnswer>,
        storing request: StoredAuthorizationRequest? = nil
    ) async throws(ProtocolFailure) {
        let (session, now) = (checked.stage.session, checked.stage.now)
        let hasEnded = try await services.write(checked.recording, for: checked.stage) { storage, recording in
            try await storage.leave(
                session.id,
                from: session.valueHash,
                storing: request,
                recording: recording,
                at: now
            )
        }
        guard hasEnded else { throw raced(checked.stage) }
        services.firstPartyLimiters.close(checked.stage, services)
    }

    /// Another answer came first (section 5.3.1).
    private func raced(_ answer: FirstPartyAnswer) -> ProtocolFailure {
        services.record(.firstPartyStepRefused, detail: "\(answer.step.type): raced")
        return .sessionRejected
    }
}
