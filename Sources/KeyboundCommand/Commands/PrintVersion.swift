// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// `keybound version`.
enum PrintVersion: Command {
    static let syntax = CommandSyntax(
        "version",
        "print the version",
        options: [.json],
        examples: [.init("Which version is this?", "keybound version")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) {
        if arguments.has(.json) {
            console.printJSON(["name": "keybound", "version": .string(Version.number)])
        } else {
            console.print("keybound \(Version.number)")
        }
    }
}
