// SPDX-License-Identifier: Apache-2.0

/// The directory for state files of a user (XDG Base Directory Specification).
enum StateDirectory {
    /// `$XDG_STATE_HOME/keybound`, or else `~/.local/state/keybound`.
    static func path() throws -> String {
        // The specification: relative paths must be ignored.
        if let state = ProcessEnvironment.value("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/keybound" }
        guard let home = ProcessEnvironment.value("HOME"), home.hasPrefix("/") else {
            throw CommandFailure.usage(
                "neither HOME nor XDG_STATE_HOME names a directory for files",
                hint: "set one of them to an absolute path"
            )
        }
        return home + "/.local/state/keybound"
    }
}
