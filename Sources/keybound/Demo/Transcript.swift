// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the demo tells: numbered scenes, what was sent and answered, and what it means.
final class Transcript: Sendable {
    private struct State {
        var scene = 0
        var isSilent = false
    }

    private let state = Mutex(State())
    private let style: TerminalStyle
    private let output: @Sendable (String) -> Void

    init(style: TerminalStyle, output: @escaping @Sendable (String) -> Void) {
        self.style = style
        self.output = output
    }

    func title(_ text: String, _ subtitle: String) {
        write("\n\(style.bold(text))\n\(style.dim(subtitle))")
    }

    /// Begins a scene.
    func scene(_ text: String) {
        let number = state.withLock { state in
            state.scene += 1
            return state.scene
        }
        write("\n\(style.bold("\(number)  \(text)"))")
    }

    /// Says what something means.
    func say(_ text: String) {
        for line in Self.wrap(text, width: 92) { write("   \(line)") }
    }

    /// Says what happens between what was sent and what came back.
    func note(_ text: String) {
        show(style.dim("· ") + text, [])
    }

    /// Shows a command to type: one line, to be copied whole.
    func command(_ text: String) {
        write("   $ \(text)")
    }

    /// Shows a fact.
    func fact(_ name: String, _ value: String) {
        let padding = String(repeating: " ", count: max(1, 22 - name.count))
        write("   \(style.dim(name))\(padding)\(value)")
    }

    /// Shows what was sent.
    func sent(_ text: String, details: [String] = []) {
        show(style.accent("→ ") + text, details)
    }

    /// Shows what came back.
    func received(_ text: String, isRefusal: Bool, details: [String] = []) {
        show((isRefusal ? style.warning("← ") : style.good("← ")) + text, details)
    }

    /// Shows whether something came out as it must.
    func verdict(_ isGood: Bool, _ text: String) {
        write("   \(isGood ? style.good("✓") : style.bad("✗")) \(text)")
    }

    /// Leaves out what happens meanwhile: a scene that needs another sign-in, say.
    func setSilent(_ isSilent: Bool) {
        state.withLock { $0.isSilent = isSilent }
    }

    private func show(_ line: String, _ details: [String]) {
        guard !state.withLock(\.isSilent) else { return }
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
