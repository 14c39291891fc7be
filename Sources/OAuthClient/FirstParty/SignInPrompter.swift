// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

/// Asks the user for the answers of a sign-in without a browser: a terminal, a view, a test.
public protocol SignInPrompter: Sendable {
    /// Asks for the answer to one of the steps.
    ///
    /// Where the prompter knows none of the steps, it returns ``StepAnswer/redirectToWeb``.
    ///
    /// - Parameters:
    ///   - steps: What the user may do now, the preferred one first; never empty.
    ///   - problem: Why the last answer did not do; `nil` at the first question of a step.
    /// - Returns: The answer; `nil` to give up, which is ``OAuthClientError/Code/cancelled``.
    /// - Throws: An error of its own.
    func answer(_ steps: [SignInStep], problem: SignInProblem?) async throws -> StepAnswer?
}
