// SPDX-License-Identifier: Apache-2.0

/// One command of the program.
protocol Command: Sendable {
    /// What it is called, takes and does.
    static var syntax: CommandSyntax { get }

    /// Does it.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, parsed by ``syntax``.
    ///   - console: Where results and remarks go.
    /// - Throws: ``CommandFailure``, or the error of a module, which `CommandFailure(describing:)` knows.
    static func run(_ arguments: ParsedArguments, _ console: Console) async throws
}
