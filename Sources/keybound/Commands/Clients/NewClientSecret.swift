// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthCore
import StrictJSON

/// `keybound client secret new`.
enum NewClientSecret: Command {
    static let syntax = CommandSyntax(
        "client secret new",
        "give an app a new secret",
        details: [
            "The secret before stays good, so that the app can be changed without an outage; the one before that does not. "
                + "Do it twice to make a stolen secret useless at once. Prints the secret: only its hash is kept, so it is "
                + "shown this once."
        ],
        operands: [.required("CLIENT_ID", "the app")],
        options: OperatorCommand.options + [.json],
        examples: [.init("Change the secret of a service", "keybound client secret new billing")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let clientID = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let secret = try await OperatorCommand.administering(settings, console, mustExist: true) { administration in
            try await administration.newClientSecret(for: clientID)
        }
        if arguments.has(.json) {
            console.printJSON(["client_id": .string(clientID), "client_secret": .string(secret.value)])
        } else {
            console.print(secret.value)
            console.note("the secret before stays good until the next one is made")
        }
    }
}
#endif
