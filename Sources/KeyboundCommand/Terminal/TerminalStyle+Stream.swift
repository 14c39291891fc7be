// SPDX-License-Identifier: Apache-2.0

extension TerminalStyle {
    /// Colours, if a terminal supports them and `NO_COLOR` is not set (https://no-color.org).
    init(for stream: StandardStream) {
        self.init(
            isColored: stream.isTerminal && ProcessEnvironment.value("NO_COLOR") == nil
                && ProcessEnvironment.value("TERM") != "dumb"
        )
    }
}
