// SPDX-License-Identifier: Apache-2.0

/// What log lines look like.
enum LogFormat: String, CaseIterable {
    case text
    /// One object a line.
    case json
}
