// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthCore
import OAuthSystem

/// Asks for the answers of a sign-in at the terminal; a password that was given with an option is used once.
struct TerminalPrompter: SignInPrompter {
    /// The user that an option named; `nil` to ask.
    let username: String?
    /// The password of an option; `nil` to ask.
    let password: String?
    let console: Console

    func answer(_ steps: [SignInStep], problem: SignInProblem?) async throws -> StepAnswer? {
        if let problem { try tell(problem, steps) }
        // Asking blocks: it must not take a thread of the tasks.
        return try await BlockingWork.run { try answer(steps) }
    }

    private func answer(_ steps: [SignInStep]) throws -> StepAnswer {
        let possible = steps.filter { Self.name(of: $0) != nil }
        guard let first = possible.first else {
            throw CommandFailure(
                .failure,
                "the server wants a step that is only possible in a browser",
                hint: "omit \(DirectSignIn.option.name)"
            )
        }
        switch possible.count == 1 ? first : try choice(of: possible) {
        case .password(let hint): return try passwordAnswer(hint)
        case .totp(let digits):
            return .totp(try prompt("the code").ask("Code of your authenticator app, \(digits) digits"))
        default: return .recoveryCode(try prompt("the recovery code").ask("Recovery code"))
        }
    }

    private func passwordAnswer(_ hint: String?) throws -> StepAnswer {
        let name = try username ?? hint ?? prompt("the user name").askShown("User name")
        let password = try password ?? prompt("the password").ask("Password of \(SafeText.of(name))")
        return .password(username: name, password: password)
    }

    /// The step that the user chooses by its number.
    private func choice(of steps: [SignInStep]) throws -> SignInStep {
        let terminal = try prompt("your choice")
        let list = steps.enumerated().map { "  \($0 + 1) \(Self.name(of: $1) ?? "")\n" }.joined()
        while true {
            let text = try terminal.askShown("Continue with\n\(list)Number")
            if let number = Int(text), steps.indices.contains(number - 1) { return steps[number - 1] }
        }
    }

    /// What the terminal can ask for; `nil` for a step that needs something else.
    private static func name(of step: SignInStep) -> String? {
        switch step {
        case .password: "password"
        case .totp: "code of your authenticator app"
        case .recoveryCode: "recovery code"
        default: nil
        }
    }

    private func tell(_ problem: SignInProblem, _ steps: [SignInStep]) throws {
        var isPassword = false
        if case .password = steps.first { isPassword = true }
        let text =
            problem == .codeUsed
            ? "this code was used already; wait for the next one"
            : isPassword ? "the user name or the password is wrong" : "the code is wrong"
        // What an option gave is the same the next time.
        if isPassword, password != nil { throw CommandFailure(.failure, text) }
        console.warn(text)
    }

    private func prompt(_ what: String) throws -> SecretPrompt {
        guard let prompt = SecretPrompt() else {
            throw CommandFailure.usage(
                "there is no terminal to ask for \(what)",
                hint: "run the command at a terminal"
            )
        }
        return prompt
    }
}
#endif
