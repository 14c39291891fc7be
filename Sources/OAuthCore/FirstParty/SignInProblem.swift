// SPDX-License-Identifier: Apache-2.0

/// Why the answer to a step did not do: the value of `problem` in an answer of the authorization challenge endpoint.
///
/// An open set: a client takes a word that it does not know for ``wrongAnswer``.
public struct SignInProblem: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The word, case-sensitive.
    public let rawValue: String

    /// Names a problem.
    ///
    /// - Parameter rawValue: The word, case-sensitive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The word.
    public var description: String { rawValue }

    /// The answer was wrong; the server does not say which part of it.
    public static let wrongAnswer = Self(rawValue: "wrong_answer")
    /// The code was right, and has been used before.
    public static let codeUsed = Self(rawValue: "code_used")
}
