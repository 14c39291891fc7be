// SPDX-License-Identifier: Apache-2.0

/// The decision of a ``StepUpHandler``.
public enum StepUpDecision: Sendable {
    /// The user signs in with this user agent, and the call is made once more.
    case signIn(any UserAgent)
    /// The call fails with ``OAuthClientError/Code/insufficientScope`` or ``OAuthClientError/Code/stepUpRequired``.
    case deny
}
