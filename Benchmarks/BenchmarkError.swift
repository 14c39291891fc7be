// SPDX-License-Identifier: Apache-2.0

/// A benchmark could not be set up.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    /// The machine has not what the rows need; the others can be measured.
    let isOfMachine: Bool

    init(_ description: String) {
        self.init(description, isOfMachine: false)
    }

    private init(_ description: String, isOfMachine: Bool) {
        (self.description, self.isOfMachine) = (description, isOfMachine)
    }

    /// The machine has not what the rows need: says what is missing, and what installs it.
    static func missing(_ description: String) -> BenchmarkError {
        BenchmarkError(description, isOfMachine: true)
    }
}
