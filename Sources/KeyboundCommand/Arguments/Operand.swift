// SPDX-License-Identifier: Apache-2.0

/// A positional argument.
struct Operand: Sendable, Hashable {
    /// Its placeholder in the help.
    let name: String
    /// Whether it may be omitted; then all that follow are optional too.
    let isOptional: Bool
    /// A sentence without a capital and without a full stop.
    let help: String
    /// What a shell offers for it.
    let completion: Completion

    static func required(_ name: String, _ help: String, choices: [String] = []) -> Operand {
        Operand(name: name, isOptional: false, help: help, completion: Completion(name, choices))
    }

    static func optional(_ name: String, _ help: String) -> Operand {
        Operand(name: name, isOptional: true, help: help, completion: Completion(name, []))
    }

    /// The operand as the usage line shows it.
    var usage: String { isOptional ? "[\(name)]" : name }
}
