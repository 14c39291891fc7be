// SPDX-License-Identifier: Apache-2.0

/// The version of the program.
enum Version {
    static let number = "0.9.0"
    /// The day of the release, for the manual pages.
    static let date = "November 25, 2026"
}
