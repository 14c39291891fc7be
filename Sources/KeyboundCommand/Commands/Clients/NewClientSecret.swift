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
            "The previous secret stays valid, so that the app can be switched over without an outage; older ones do "
                + "not. Run the command twice to invalidate a stolen secret at once. Prints the secret. Only its hash "
                + "is stored, so it is shown only once."
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
            console.note("the previous secret stays valid until the next one is created")
        }
    }
}
#endif
