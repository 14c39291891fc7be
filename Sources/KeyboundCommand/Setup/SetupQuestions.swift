// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Asks at the terminal for what no option says.
struct SetupQuestions: Sendable {
    /// Whether questions are wanted; without a terminal none is asked in any case.
    let isAllowed: Bool

    /// The answer, without spaces around it; `nil` if nobody is asked, or the answer is empty.
    func ask(_ question: String) throws -> String? {
        guard isAllowed, let prompt = SecretPrompt() else { return nil }
        let answer = try prompt.askShown(question)
        let words = answer.split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}
#endif
