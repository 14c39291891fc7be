// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ServerStorage
import StrictJSON

/// `keybound client list`.
enum ListClients: Command {
    static let syntax = CommandSyntax(
        "client list",
        "list the registered apps",
        options: OperatorCommand.options + [.json],
        examples: [.init("Which apps are registered?", "keybound client list")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let clients = try await OperatorCommand.withStorage(settings, mustExist: true) { try await $0.clients() }
        if arguments.has(.json) {
            console.printJSON(.array(clients.map { $0.json() }))
            return
        }
        for client in clients {
            console.print("\(client.clientID)  \(console.style.bold(SafeText.of(client.name)))")
            console.print("  scope     \(client.scope)")
            if !client.isPublic { console.print("  shows     \(client.tokenEndpointAuthMethod)") }
            if client.isFirstParty { console.print("  first-party app: asks for passwords itself") }
            for uri in client.redirectURIs { console.print("  redirect  \(SafeText.of(uri))") }
            for uri in client.postLogoutRedirectURIs { console.print("  logout    \(SafeText.of(uri))") }
        }
        if clients.isEmpty { console.note("no apps are registered; keybound client add registers one") }
    }
}
#endif
