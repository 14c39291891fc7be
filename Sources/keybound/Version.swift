// SPDX-License-Identifier: Apache-2.0

/// Which version of the program this is.
enum Version {
    static let number = "0.1.0"
}
