// SPDX-License-Identifier: Apache-2.0

/// The version of the program.
enum Version {
    static let number = "0.1.0"
}
