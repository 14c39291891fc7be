// SPDX-License-Identifier: Apache-2.0

/// The format of log lines.
enum LogFormat: String, CaseIterable {
    case text
    /// One object per line.
    case json
}
