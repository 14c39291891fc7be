// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import Synchronization

/// The output of the demo: numbered scenes with explanations and verdicts, and with every request and response if it
/// is verbose.
final class Transcript: Sendable {
    private struct State {
        var scene = 0
        var isSilent = false
        var requests = 0
    }

    private let state = Mutex(State())
    private let style: TerminalStyle
    private let isVerbose: Bool
    private let output: @Sendable (String) -> Void

    /// How many requests were sent so far, shown or not.
    var requests: Int { state.withLock(\.requests) }

    init(style: TerminalStyle, isVerbose: Bool = true, output: @escaping @Sendable (String) -> Void) {
        self.style = style
        self.isVerbose = isVerbose
        self.output = output
    }

    func title(_ text: String, _ subtitle: String) {
        write("\n\(style.bold(text))\n\(style.dim(subtitle))")
    }

    func scene(_ text: String) {
        let number = state.withLock { state in
            state.scene += 1
            return state.scene
        }
        write("\n\(style.bold("\(number)  \(text)"))")
    }

    /// Writes an explanation: its first sentence, or all of it if the transcript is verbose.
    func explain(_ text: String) {
        if isVerbose {
            say(text)
        } else {
            say(text.firstRange(ofText: ". ").map { text[..<$0.lowerBound] + "." } ?? text)
        }
    }

    /// Writes a remark.
    func say(_ text: String) {
        for line in Self.wrap(text, width: 92) { write("   \(line)") }
    }

    /// Writes what happens between a request and its response.
    func note(_ text: String) {
        show(style.dim("· ") + text, [])
    }

    /// Shows a command on a single line, so that it can be copied.
    func command(_ text: String) {
        write("   $ \(text)")
    }

    func fact(_ name: String, _ value: String) {
        let padding = String(repeating: " ", count: max(1, 22 - name.count))
        write("   \(style.dim(name))\(padding)\(value)")
    }

    /// Shows a request.
    func sent(_ text: String, details: [String] = []) {
        state.withLock { $0.requests += 1 }
        show(style.accent("→ ") + text, details)
    }

    /// Shows a response.
    func received(_ text: String, isRejection: Bool, details: [String] = []) {
        show((isRejection ? style.warning("← ") : style.good("← ")) + text, details)
    }

    /// Shows whether a step ended as expected.
    func verdict(_ isGood: Bool, _ text: String) {
        write("   \(isGood ? style.good("✓") : style.bad("✗")) \(text)")
    }

    /// Suppresses output, for example during another sign-in that a scene needs.
    func setSilent(_ isSilent: Bool) {
        state.withLock { $0.isSilent = isSilent }
    }

    private func show(_ line: String, _ details: [String]) {
        guard isVerbose, !state.withLock(\.isSilent) else { return }
        write("   \(line)")
        for detail in details { write("       \(style.dim(detail))") }
    }

    private func write(_ line: String) {
        output(line)
    }

    private static func wrap(_ text: String, width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
