// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import OAuthSystem

/// A sign-in that the app draws itself, at one step.
///
/// Answer it once: the server takes one answer to a step, and the result is the next step. Copies are the same step.
/// An answer that failed with an error that the server did not take it for, such as
/// ``OAuthClientError/Code/tooManyAttempts``, can be sent again. It is not printed.
public struct FirstPartySignIn: Sendable, RedactedSecret {
    /// What the user may do now, the preferred one first; never empty.
    public let steps: [SignInStep]
    /// Why the last answer did not do; `nil` at the first question of a step.
    public let problem: SignInProblem?
    let client: OAuth2Client
    let turn: SignInTurn

    init(_ state: FirstPartySignInState, of client: OAuth2Client) {
        steps = state.steps
        problem = state.problem
        self.client = client
        turn = SignInTurn(state)
    }

    /// What to keep in the Keychain or a private file when the app may be stopped now.
    public var state: FirstPartySignInState { turn.state }

    /// Sends an answer.
    ///
    /// The body of the request is wiped from memory when it was sent; the texts of the answer are the caller's. If the
    /// caller is cancelled meanwhile, the answer is processed to its end: tokens are stored, and
    /// ``OAuth2Client/restoreSession(checkingKey:)`` has them.
    ///
    /// An answer whose response was lost is never sent again: the server may have taken it.
    ///
    /// - Parameter answer: What the user answered, to one of ``steps``.
    /// - Returns: What came of it. After a wrong answer it is the same step with a ``problem``.
    /// - Throws: ``OAuthClientError``: ``OAuthClientError/Code/stepNotOffered`` and
    ///   ``OAuthClientError/Code/invalidArgument`` before anything is sent; ``OAuthClientError/Code/signInExpired``,
    ///   ``OAuthClientError/Code/authorizationRejected`` at the end of the sign-in;
    ///   ``OAuthClientError/Code/tooManyAttempts``, ``OAuthClientError/Code/serverUnavailable``,
    ///   ``OAuthClientError/Code/serverRejected``, ``OAuthClientError/Code/transportFailed``,
    ///   ``OAuthClientError/Code/keyUnavailable``, ``OAuthClientError/Code/attestationFailed``,
    ///   ``OAuthClientError/Code/attestationRefused``, ``OAuthClientError/Code/cancelled``; and, when the sign-in is
    ///   finished, the codes of ``OAuth2Client/exchangeAuthorizationCode(_:)`` and ``OAuth2Client/startSession(with:)``.
    ///
    /// ## Specification
    ///
    /// [First-Party Applications §5.3](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-first-party-apps-04#section-5.3)
    public func answer(_ answer: StepAnswer) async throws(OAuthClientError) -> FirstPartyProgress {
        guard steps.contains(where: { $0.type == answer.type }) else {
            throw OAuthClientError(.stepNotOffered, "the server did not offer the step that is answered")
        }
        let parameters = try answer.parameters()
        let state = try turn.begin()
        return try await Uncancelled.run { [client, turn] () async throws(OAuthClientError) in
            try await client.send(parameters, answering: answer.type, state, turn)
        }
    }

    /// Gives the sign-in up: no further answer is sent, and the server forgets it by itself.
    public func cancel() {
        turn.close()
    }
}
