// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import StrictJSON
import Testing

/// Answers of a user, one for each question.
actor ScriptedPrompter: SignInPrompter {
    private var answers: [StepAnswer?]
    /// What was asked, in order.
    private(set) var questions: [(steps: [SignInStep], problem: SignInProblem?)] = []

    init(_ answers: StepAnswer?...) {
        self.answers = answers
    }

    func answer(_ steps: [SignInStep], problem: SignInProblem?) async throws -> StepAnswer? {
        questions.append((steps, problem))
        return answers.isEmpty ? nil : answers.removeFirst()
    }
}

extension FirstPartyProgress {
    /// The step that is open.
    var signIn: FirstPartySignIn {
        get throws {
            guard case .next(let signIn) = self else { throw UnexpectedProgress() }
            return signIn
        }
    }

    /// The session of a finished sign-in.
    var session: OAuthSession {
        get throws {
            guard case .finished(let session) = self else { throw UnexpectedProgress() }
            return session
        }
    }

    /// The continuation in the browser.
    var continuation: WebContinuation {
        get throws {
            guard case .redirectToWeb(let continuation) = self else { throw UnexpectedProgress() }
            return continuation
        }
    }
}

struct UnexpectedProgress: Error {}

extension StepAnswer {
    static let rightPassword = StepAnswer.password(username: "ada", password: "secret")
    static let wrongPassword = StepAnswer.password(username: "ada", password: "guess")
}

extension SignInFixture {
    static let challengePath = "/authorize-challenge"

    /// The first step of a sign-in without a browser.
    func firstStep(_ scopes: [String] = ["api:read"]) async throws -> FirstPartySignIn {
        try await client.startFirstPartySignIn(scopes: scopes).signIn
    }

    /// The endpoint gives this instead of its next response.
    func answerNext(_ response: HTTPResponse) async {
        await server.change { $0.instead[Self.challengePath] = [response] }
    }
}
