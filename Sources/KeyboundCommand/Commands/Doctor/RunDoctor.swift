// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import OAuthTransport
import StrictJSON

/// `keybound doctor`.
enum RunDoctor: Command {
    static let syntax = CommandSyntax(
        "doctor",
        "look for what is wrong with this machine and a server's installation",
        details: [
            "Each line is ok, note, warning or FAIL, and says what to do. With --config or $KEYBOUND_CONFIG, it checks "
                + "the server of that configuration too: its files, database and keys, and its issuer as clients see it. "
                + "It does the same with --database or --data-directory, or if $KEYBOUND_ISSUER is set; otherwise it "
                + "checks the machine as one of a client. It reads only, prints no secret, and fails if there is a FAIL."
        ],
        options: OperatorCommand.options + [.json],
        examples: [
            .init("Before you ask for help", "keybound doctor"),
            .init("After an installation or an update", "keybound doctor --config /etc/keybound/keybound.json"),
        ]
    )

    /// A finding with its check.
    private struct Row {
        let check: DoctorCheck
        let finding: DoctorFinding
    }

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let rows = await rows(try context(arguments))
        if arguments.has(.json) {
            console.printJSON(.array(rows.map(json)))
        } else {
            for row in rows where !console.isQuiet || row.finding.severity != .good { show(row, console) }
        }
        let failures = rows.count { $0.finding.severity == .failure }
        guard failures == 0 else {
            throw CommandFailure(.failure, "\(failures) \(failures == 1 ? "check" : "checks") failed")
        }
    }

    private static func context(_ arguments: ParsedArguments) throws -> DoctorContext {
        let file = arguments.value(ServerSettings.configuration) ?? ProcessEnvironment.value("KEYBOUND_CONFIG")
        let variables = ProcessEnvironment.names(beginningWith: "KEYBOUND_")
        // A client's machine may have other variables, for its keys or left over; no server is without an issuer.
        let isNamed =
            file != nil || variables.contains(Setting.issuer.variable)
            || Setting.storage.contains { arguments.has($0.option) }
        let transport = PlatformTransport()
        return DoctorContext(
            settings: isNamed ? try ServerSettings(arguments, optionsFor: Setting.storage) : nil,
            configurationFile: file,
            machine: ThisMachine(),
            transport: transport,
            certificates: { try await transport.presentedCertificates(at: $0) },
            clock: SystemWallClock(),
            variables: variables
        )
    }

    private static func rows(_ context: DoctorContext) async -> [Row] {
        var rows: [Row] = []
        for check in DoctorCheck.all {
            rows += await check.findings(context).map { Row(check: check, finding: $0) }
        }
        return rows
    }

    private static func show(_ row: Row, _ console: Console) {
        let word = row.finding.severity.rawValue
        let padding = String(repeating: " ", count: max(0, 8 - word.count))
        let group = row.check.group.rawValue
        let space = String(repeating: " ", count: max(1, 15 - group.count))
        console.print(style(row.finding.severity, word, console.style) + padding + group + space + row.finding.text)
        if let advice = row.finding.advice { console.print(String(repeating: " ", count: 23) + advice) }
    }

    private static func style(_ severity: DoctorFinding.Severity, _ word: String, _ style: TerminalStyle) -> String {
        switch severity {
        case .good: style.good(word)
        case .note: style.dim(word)
        case .warning: style.warning(word)
        case .failure: style.bad(word)
        }
    }

    private static func json(_ row: Row) -> JSONValue {
        var object: JSONObject = [
            "group": .string(row.check.group.rawValue), "check": .string(row.check.name),
            "severity": .string(row.finding.severity == .failure ? "fail" : row.finding.severity.rawValue),
            "text": .string(row.finding.text),
        ]
        object["advice"] = row.finding.advice.map { .string($0) }
        return .object(object)
    }
}
#endif
