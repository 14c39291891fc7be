// SPDX-License-Identifier: Apache-2.0

/// A benchmark could not be set up.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    /// Only a requirement of these rows is missing on this machine; others can be measured.
    private(set) var isMissingPart = false

    init(_ description: String) {
        self.description = description
    }

    /// A requirement of the rows is missing on this machine; the text says what it is, and how to install it.
    static func missing(_ description: String) -> BenchmarkError {
        var error = BenchmarkError(description)
        error.isMissingPart = true
        return error
    }
}
