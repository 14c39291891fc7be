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
        "list the apps that a user granted access to",
        details: [
            "Each line shows the identifier of the grant, when it was created, the app, and the scope. Revoked grants "
                + "are not shown. A grant whose tokens have all expired is shown until it is deleted."
        ],
        operands: [.required("NAME", "the user")],
        options: OperatorCommand.options + [.json],
        examples: [.init("Which apps have access to Ada's account?", "keybound grant list ada")]
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
        if grants.isEmpty { console.note("\(SafeText.of(name)) has no active grants") }
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
