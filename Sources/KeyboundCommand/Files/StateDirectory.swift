// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The directory for state files of a user (XDG Base Directory Specification).
enum StateDirectory {
    /// `$XDG_STATE_HOME/keybound`, or else `~/.local/state/keybound`.
    static func path() throws -> String {
        guard let state = StateHome.path(EnvironmentVariables.all) else {
            throw CommandFailure.usage(
                "neither HOME nor XDG_STATE_HOME names a directory for files",
                hint: "set one of them to an absolute path"
            )
        }
        return state + "/keybound"
    }
}
