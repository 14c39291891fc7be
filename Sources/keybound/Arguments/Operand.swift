// SPDX-License-Identifier: Apache-2.0

/// An argument that is known by its place.
struct Operand: Sendable, Hashable {
    /// What stands for it in the help.
    let name: String
    /// Whether it may be left out; then so may all that follow.
    let isOptional: Bool
    /// What it is: a sentence without a capital and without a full stop.
    let help: String

    static func required(_ name: String, _ help: String) -> Operand {
        Operand(name: name, isOptional: false, help: help)
    }

    static func optional(_ name: String, _ help: String) -> Operand {
        Operand(name: name, isOptional: true, help: help)
    }

    /// The operand as the usage line shows it.
    var usage: String { isOptional ? "[\(name)]" : name }
}
