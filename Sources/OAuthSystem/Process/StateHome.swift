// SPDX-License-Identifier: Apache-2.0

/// The directory for state files of a user (XDG Base Directory Specification).
package enum StateHome {
    /// `$XDG_STATE_HOME`, or else `~/.local/state`; `nil` if neither variable names an absolute path.
    ///
    /// - Parameter environment: The environment variables of the process.
    /// - Returns: The path.
    package static func path(_ environment: [String: String]) -> String? {
        // The specification: relative paths must be ignored.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/.local/state"
    }
}
