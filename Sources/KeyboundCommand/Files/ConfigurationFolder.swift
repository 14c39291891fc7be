// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The folder of a configuration file; relative paths in the file start there.
///
/// A server or gateway may be started anywhere, and it and every command of an operator use the same files.
struct ConfigurationFolder: Sendable {
    /// Without the slash at its end; `nil` for the working directory.
    private let folder: String?

    /// What a shell passes on has no folder (`-`, `/dev/fd/63`): paths in it are those of the working directory.
    init(of file: String) {
        guard file != "-", !file.hasPrefix("/dev/"), !file.hasPrefix("/proc/"), let slash = file.lastIndex(of: "/")
        else {
            folder = nil
            return
        }
        folder = String(file[..<slash])
    }

    /// The path, in the folder of the file if it is relative; the address of a database is not a path and stays as it is.
    func path(_ text: String) -> String {
        guard let folder, !text.isEmpty, !text.hasPrefix("/"), !text.contains(text: "://") else { return text }
        return folder + "/" + text
    }
}
