// SPDX-License-Identifier: Apache-2.0

/// The manual pages, generated from the declarations that parser and help use.
enum ManualPages {
    struct Page: Sendable {
        /// The file name: `keybound-serve.1`.
        let name: String
        let text: String
    }

    /// One page for the program, one for each command, one for the configuration file.
    static func all() -> [Page] {
        [Page(name: "keybound.1", text: overview())]
            + CommandTable.commands.map { Page(name: name(of: $0.syntax) + ".1", text: command($0.syntax)) }
            + [Page(name: "keybound.json.5", text: configuration())]
    }

    private static func name(of syntax: CommandSyntax) -> String {
        (["keybound"] + syntax.words).joined(separator: "-")
    }

    private static func overview() -> String {
        var page = ManualText(title: "KEYBOUND", section: 1)
        page.name("keybound", "OAuth 2.0 with every token bound to a key")
        page.macro("Sh", "SYNOPSIS")
        page.macro("Nm", "keybound")
        page.macro("Ar", "COMMAND")
        page.macro("Op", "Ar", "ARGUMENTS")
        page.macro("Sh", "DESCRIPTION")
        page.paragraphs(
            ["PKCE (RFC 7636) and DPoP (RFC 9449): a client, an authorization server, and a guard for APIs."]
                + HelpConventions.paragraphs
        )
        for section in CommandTable.sections where !section.commands.isEmpty {
            page.macro("Ss", section.title)
            page.list(
                section.commands.map { ("Xr \(name(of: $0.syntax)) 1", HelpText.sentence($0.syntax.summary)) }
            )
        }
        exitCodes(&page)
        page.macro("Sh", "SEE ALSO")
        page.macro("Xr", "keybound.json", "5")
        return page.text
    }

    private static func command(_ syntax: CommandSyntax) -> String {
        let name = name(of: syntax)
        var page = ManualText(title: name.uppercased(), section: 1)
        page.name(name, syntax.summary)
        page.macro("Sh", "SYNOPSIS")
        page.macro("Nm", syntax.name)
        page.macro("Op", "Ar", "OPTIONS")
        for operand in syntax.operands { page.macro(operand.isOptional ? "Op Ar" : "Ar", operand.name) }
        page.macro("Sh", "DESCRIPTION")
        page.paragraphs([HelpText.sentence(syntax.summary)] + syntax.details)
        if !syntax.operands.isEmpty {
            page.macro("Ss", "Operands")
            page.list(syntax.operands.map { ("Ar \(ManualText.quoted($0.name))", $0.help) })
        }
        page.macro("Ss", "Options")
        page.list(syntax.options.map { (tag($0), $0.help + HelpText.repetition($0)) })
        exitCodes(&page)
        page.macro("Sh", "EXAMPLES")
        for example in syntax.examples {
            page.paragraphs([example.purpose])
            page.literal(example.line)
        }
        page.macro("Sh", "SEE ALSO")
        page.references(["keybound 1", "keybound.json 5"])
        return page.text
    }

    private static func configuration() -> String {
        var page = ManualText(title: "KEYBOUND.JSON", section: 5)
        page.name("keybound.json", "the configuration of keybound serve")
        page.macro("Sh", "DESCRIPTION")
        page.paragraphs(ConfigurationReference.introduction)
        page.macro("Ss", "Settings")
        page.list(
            Setting.all.map { setting in
                (
                    "Ic \(setting.key)",
                    HelpText.sentence(setting.option.help) + " Type: \(setting.kind.description). Default: "
                        + "\(setting.standard). Option: \(setting.option.usage). Variable: \(setting.variable)."
                )
            }
        )
        page.macro("Sh", "EXAMPLES")
        page.literal(ConfigurationReference.example)
        page.macro("Sh", "SEE ALSO")
        page.references(["keybound 1", "keybound-serve 1"])
        return page.text
    }

    private static func exitCodes(_ page: inout ManualText) {
        page.macro("Sh", "EXIT STATUS")
        page.list(ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) })
    }

    private static func tag(_ option: Option) -> String {
        let short = option.letter.map { "Fl \($0) , " } ?? ""
        let value = option.placeholder.map { " Ar \(ManualText.quoted($0))" } ?? ""
        return short + "Fl \(option.name.dropFirst())" + value
    }
}
