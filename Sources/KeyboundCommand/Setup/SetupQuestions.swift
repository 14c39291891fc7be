// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Asks at the terminal for what no option says.
struct SetupQuestions: Sendable {
    /// Whether questions are wanted; without a terminal none is asked in any case.
    let isAllowed: Bool

    /// Asks until an answer is accepted, and says each time what is wrong.
    ///
    /// - Parameters:
    ///   - question: What to type, without a colon.
    ///   - accept: Makes something of an answer, or throws what is wrong with it.
    /// - Returns: What was made; `nil` if nobody is asked, or the answer is empty.
    /// - Throws: ``CommandFailure`` if the terminal went away.
    func ask<Value>(_ question: String, accept: (String) async throws -> Value) async throws -> Value? {
        while let answer = try answer(to: question) {
            if let value = try await attempt({ try await accept(answer) }) { return value }
        }
        return nil
    }

    /// Repeats what asks the user itself until it succeeds; without a terminal it is tried once.
    func repeating<Value>(_ work: () async throws -> Value) async throws -> Value {
        while true {
            if let value = try await attempt(work) { return value }
        }
    }

    /// The answer, without spaces around it; `nil` if nobody is asked, or the answer is empty.
    private func answer(to question: String) throws -> String? {
        guard isAllowed, let prompt = SecretPrompt() else { return nil }
        let answer = try prompt.askShown(question)
        let words = answer.split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// Tries once; `nil` after a mistake that the user has been told of, and can correct.
    private func attempt<Value>(_ work: () async throws -> Value) async throws -> Value? {
        do {
            return try await work()
        } catch {
            let failure = CommandFailure(describing: error)
            // What the user cannot correct would be the same again: Ctrl-C, a terminal that went away.
            guard isAllowed, [.usage, .failure].contains(failure.exitCode), let prompt = SecretPrompt() else {
                throw error
            }
            prompt.say(SafeText.of(failure.message))
            for hint in failure.hints { prompt.say("hint: " + SafeText.of(hint)) }
            return nil
        }
    }
}
#endif
