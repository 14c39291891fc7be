// SPDX-License-Identifier: Apache-2.0

/// A benchmark could not be set up.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    /// Only what the rows need is not on this machine; others can be measured.
    private(set) var isMissingPart = false

    init(_ description: String) {
        self.description = description
    }

    /// What the rows need is not on this machine: says what is missing, and what installs it.
    static func missing(_ description: String) -> BenchmarkError {
        var error = BenchmarkError(description)
        error.isMissingPart = true
        return error
    }
}
