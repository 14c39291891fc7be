// SPDX-License-Identifier: Apache-2.0

/// One command of the program.
protocol Command: Sendable {
    /// Its name, arguments and help.
    static var syntax: CommandSyntax { get }

    /// Runs the command.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, parsed by ``syntax``.
    ///   - console: Receives results and remarks.
    /// - Throws: ``CommandFailure``, or an error of a library that `CommandFailure(describing:)` translates.
    static func run(_ arguments: ParsedArguments, _ console: Console) async throws
}
