// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

/// The reason a step of a sign-in or a call could not be taken.
///
/// Branch on ``code``. Print ``reason`` for people. Neither ever holds a token, a proof, a key or a URL that was received.
public struct OAuthClientError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs.
    public let code: Code
    /// What went wrong, for people: one sentence without a final full stop.
    public let reason: String
    /// What the server answered, when it refused.
    ///
    /// Its description is the server's text: show it to developers, not to users.
    public let answer: OAuthErrorResponse?
    /// The HTTP status of the server's answer, when it refused.
    public let status: Int?
    /// How long the server wants to be left alone, when it says so.
    public let retryAfter: Duration?
    /// What the next sign-in must ask for, when an API wants more of the user than the session has.
    public let stepUp: StepUpChallenge?
    /// The error of a lower floor or of the system that led to this one.
    public let underlying: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - reason: What went wrong, for people; never a secret.
    ///   - answer: What the server answered.
    ///   - underlying: The error that led to this one.
    public init(
        _ code: Code,
        _ reason: String,
        answer: OAuthErrorResponse? = nil,
        underlying: (any Error)? = nil
    ) {
        self.init(code, reason, answer: answer, status: nil, retryAfter: nil, underlying: underlying)
    }

    /// Makes an error of an answer that is not a success.
    init(_ code: Code, _ reason: String, failedResponse: FailedResponse) {
        self.init(
            code,
            "\(reason): \(failedResponse)",
            answer: failedResponse.error,
            status: failedResponse.status,
            retryAfter: failedResponse.retryAfter,
            underlying: nil
        )
    }

    /// Makes the error of an API that wants the user to sign in anew.
    init(stepUp challenge: StepUpChallenge) {
        self.init(
            .stepUpRequired,
            "the API wants the user to sign in more strongly or more recently",
            answer: nil,
            status: 401,
            retryAfter: nil,
            underlying: nil,
            stepUp: challenge
        )
    }

    private init(
        _ code: Code,
        _ reason: String,
        answer: OAuthErrorResponse?,
        status: Int?,
        retryAfter: Duration?,
        underlying: (any Error)?,
        stepUp: StepUpChallenge? = nil
    ) {
        self.code = code
        self.reason = reason
        self.answer = answer
        self.status = status
        self.retryAfter = retryAfter
        self.underlying = underlying
        self.stepUp = stepUp
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
