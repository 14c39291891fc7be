// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// `keybound grant list`.
enum ListGrants: Command {
    static let syntax = CommandSyntax(
        "grant list",
        "show what a person allowed apps",
        details: [
            "On each line: the identifier of the grant, since when, the app, and the scope. A grant that was revoked is not "
                + "shown; one whose tokens have all expired is, until it is deleted."
        ],
        operands: [.required("NAME", "the person")],
        options: OperatorCommand.options + [.json],
        examples: [.init("Which apps may act for Ada?", "keybound grant list ada")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let name = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let grants = try await OperatorCommand.administering(settings, console, mustExist: true) { administration in
            try await administration.grants(of: name)
        }
        if arguments.has(.json) {
            console.printJSON(.array(grants.map(json)))
            return
        }
        for grant in grants {
            console.print(
                "\(grant.id)  \(TimeText.text(of: grant.createdAt))  \(SafeText.of(grant.clientID))  \(grant.scope)"
            )
        }
        if grants.isEmpty { console.note("\(SafeText.of(name)) allowed nothing that is in force") }
    }

    private static func json(of grant: Grant) -> JSONValue {
        [
            "grant_id": .string(grant.id), "client_id": .string(grant.clientID), "sub": .string(grant.subject),
            "scope": .string(grant.scope.description),
            "created_at": .number(JSONNumber(grant.createdAt.secondsSince1970)),
        ]
    }
}
#endif
