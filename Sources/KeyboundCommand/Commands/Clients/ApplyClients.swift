// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthSystem
import ServerStorage
import StrictJSON

/// `keybound client apply`.
enum ApplyClients: Command {
    private static let dryRun = Option.flag("--dry-run", "print what would change, and change nothing")
    private static let prune = Option.flag(
        "--prune",
        "remove the apps that operators registered and the file does not have, and revoke their tokens"
    )

    static let syntax = CommandSyntax(
        "client apply",
        "register and change apps so that they are as a file says",
        details: [
            "The file is a JSON array of clients, with the members that keybound client show --json prints (RFC 7591 "
                + "section 2). Each has a client_id, and an unknown member is an error. A member that is left out has the "
                + "value that keybound client add gives it without options, except for scope: without it a client has none. "
                + "client_id_issued_at and registered_by are allowed, and mean nothing.",
            "Apps that are missing are registered, those that differ are changed as keybound client set changes them, and "
                + "the rest stays. Secrets stay too; a new app that authenticates by a secret gets one, which is printed "
                + "this once. The whole file is checked before the first change: an error in it changes nothing. With "
                + "--prune the file says which apps there are; those that registered themselves or have a metadata "
                + "document are never removed.",
            "Prints a line for each app that is added, unchanged or removed, and for each member that changes. The exit "
                + "code is 0 whether anything changes or not, also with --dry-run; --json says what changes.",
        ],
        operands: [.required("FILE", "the file, or - for standard input")],
        options: OperatorCommand.options + [dryRun, prune, Confirmation.yes, .json],
        examples: [
            .init("What would change?", "keybound client apply clients.json --dry-run"),
            .init("Let the file decide which apps there are", "keybound client apply clients.json --prune"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let path = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let entries = try ClientFile.read(path, at: SystemWallClock().now())
        // A dry run makes no database.
        try await OperatorCommand.administering(settings, console, mustExist: arguments.has(dryRun)) {
            administration in
            let plan = try await ClientPlan(
                for: entries,
                settings,
                administration,
                isPruning: arguments.has(prune)
            )
            try confirm(plan, arguments)
            try await carryOut(plan, administration, arguments, console)
            for step in plan.steps where step.action == .added || step.action == .changed {
                ClientMetadataOptions.warn(of: step.client, console)
                ClientFit.warn(of: step.client, settings, console)
            }
        }
    }

    private static func confirm(_ plan: ClientPlan, _ arguments: ParsedArguments) throws {
        let names = plan.removed.map(\.clientID)
        guard !names.isEmpty, !arguments.has(dryRun) else { return }
        try Confirmation.obtain(
            "Remove \(names.count == 1 ? "the client" : "the clients") \(names.joined(separator: ", ")), and revoke every "
                + "grant of \(names.count == 1 ? "it" : "them")?",
            arguments
        )
    }

    /// Prints each step when it is done: if a later one fails, what was done stays, and a secret is printed only once.
    private static func carryOut(
        _ plan: ClientPlan,
        _ administration: ServerAdministration,
        _ arguments: ParsedArguments,
        _ console: Console
    ) async throws {
        let (isDryRun, isJSON) = (arguments.has(dryRun), arguments.has(.json))
        var done: [JSONValue] = []
        defer { if isJSON { console.printJSON(.array(done)) } }
        for step in plan.steps {
            if !isDryRun { try await step.perform(administration) }
            done.append(step.json(isDryRun: isDryRun))
            guard !isJSON else { continue }
            for line in step.lines(isDryRun: isDryRun) { console.print(line) }
        }
    }
}
#endif
