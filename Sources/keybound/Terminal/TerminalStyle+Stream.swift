// SPDX-License-Identifier: Apache-2.0

extension TerminalStyle {
    /// Colours, where a terminal shows them and nobody said no (https://no-color.org).
    init(for stream: StandardStream) {
        self.init(
            isColored: stream.isTerminal && ProcessEnvironment.value("NO_COLOR") == nil
                && ProcessEnvironment.value("TERM") != "dumb"
        )
    }
}
