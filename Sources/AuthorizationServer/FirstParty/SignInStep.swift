// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// One way to answer in a sign-in without a browser (OAuth 2.0 for First-Party Applications sections 5.2.2 and 5.3).
///
/// To add one: a type that conforms to this, and a row in ``SignInSteps``.
protocol SignInStep: Sendable {
    /// The word in requests and offers.
    var type: SignInStepType { get }
    /// The parameters of an answer.
    var parameters: Set<String> { get }

    /// Checks form and size of an answer: what cannot be right is not checked, and counts as no guess.
    func check(_ request: FormRequest) throws(ProtocolFailure)

    /// What the app needs to ask.
    func offer(_ session: StoredFirstPartySession) -> JSONObject

    /// Checks an answer, and changes nothing.
    func judge(_ answer: FirstPartyAnswer, _ services: Services) async throws(ProtocolFailure) -> StepOutcome
}

extension SignInStep {
    func offer(_ session: StoredFirstPartySession) -> JSONObject {
        [FirstPartyParameter.type: .string(type.rawValue)]
    }
}

/// What came of an answer.
enum StepOutcome {
    case right(RightAnswer)
    /// The session goes on under a new value.
    case wrong
    /// A limit is reached; the session is untouched.
    case wait(Duration)
    /// The server is busy; the session is untouched.
    case busy
    /// The user goes on in the browser.
    case redirectToWeb
}

/// An answer that proved who the user is.
struct RightAnswer {
    let account: UserAccount
    let user: AuthenticatedUser
    /// The guess that it was; it counts until the answer has had its effect.
    let attempt: LoginAttempt
}
