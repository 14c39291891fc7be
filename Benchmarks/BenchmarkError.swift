// SPDX-License-Identifier: Apache-2.0

/// A benchmark could not be set up.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
