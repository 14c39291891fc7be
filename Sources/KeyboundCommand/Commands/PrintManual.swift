// SPDX-License-Identifier: Apache-2.0

/// `keybound manual`.
enum PrintManual: Command {
    static let syntax = CommandSyntax(
        "manual",
        "write the manual pages",
        details: [
            "Writes keybound.1, a page for each command such as keybound-serve.1, and keybound.json.5 for the "
                + "configuration file. Files of these names are replaced."
        ],
        operands: [.required("DIRECTORY", "where to write them; it must exist")],
        examples: [
            .init("Read one", "mkdir -p pages && keybound manual pages && man -l pages/keybound-serve.1")
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) throws {
        let directory = try arguments.requiredOperand(0)
        let pages = ManualPages.all()
        for page in pages {
            try OutputFile.write(Array(page.text.utf8), to: "\(directory)/\(page.name)")
        }
        console.note("\(pages.count) pages are in \(directory)")
    }
}
