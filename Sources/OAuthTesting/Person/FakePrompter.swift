// SPDX-License-Identifier: Apache-2.0

public import OAuthClient
public import OAuthCore
import Synchronization

/// A user who is asked for name and password by the app itself.
public final class FakePrompter: SignInPrompter, CustomReflectable {
    /// How the user answers.
    public struct Behavior: Sendable, Hashable {
        fileprivate enum Kind: Hashable {
            case answers, givesUp, choosesBrowser
            case answersWrongly(Int)
        }

        fileprivate let kind: Kind

        /// Answers each step rightly.
        public static let answers = Self(kind: .answers)
        /// Gives up at the first question: the app gets ``/OAuthClient/OAuthClientError/Code/cancelled``.
        public static let givesUp = Self(kind: .givesUp)
        /// Wants to go on in the browser.
        public static let choosesBrowser = Self(kind: .choosesBrowser)

        /// Answers with a wrong password some times, and rightly after that.
        ///
        /// - Parameter times: How often the answer is wrong.
        /// - Returns: The behavior.
        public static func answersWrongly(times: Int) -> Self {
            Self(kind: .answersWrongly(times))
        }
    }

    private struct State {
        var behavior = Behavior.answers
        var wrongAnswers = 0
        var questions: [Question] = []
    }

    /// What the user was asked.
    public struct Question: Sendable, Hashable {
        /// The steps that the server offered.
        public let steps: [SignInStep]
        /// Why the last answer did not do.
        public let problem: SignInProblem?
    }

    /// The login name that the user types.
    public let username: String
    private let password: String
    private let state = Mutex(State())

    /// Makes a user.
    ///
    /// - Parameters:
    ///   - username: The login name that the user types.
    ///   - password: The password that the user types.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    /// How the user answers from now on.
    public var behavior: Behavior {
        get { state.withLock { $0.behavior } }
        set {
            state.withLock { state in
                state.behavior = newValue
                state.wrongAnswers = 0
            }
        }
    }

    /// Everything that was asked, in order.
    public var questions: [Question] { state.withLock { $0.questions } }

    /// The output of `dump`: the name, but not the password.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }

    /// Answers as the user would.
    ///
    /// A user of this type has a password and nothing else, and goes on in the browser where
    /// the server wants something else.
    ///
    /// - Parameters:
    ///   - steps: What the user may do now.
    ///   - problem: Why the last answer did not do.
    /// - Returns: The answer; `nil` when the user gives up.
    public func answer(_ steps: [SignInStep], problem: SignInProblem?) async -> StepAnswer? {
        let (behavior, isWrong) = state.withLock { state in
            state.questions.append(Question(steps: steps, problem: problem))
            guard case .answersWrongly(let times) = state.behavior.kind else { return (state.behavior, false) }
            state.wrongAnswers += 1
            return (state.behavior, state.wrongAnswers <= times)
        }
        guard behavior != .givesUp else { return nil }
        guard behavior != .choosesBrowser, steps.contains(where: { $0.type == .password }) else {
            return .redirectToWeb
        }
        return .password(username: username, password: isWrong ? "not " + password : password)
    }
}
