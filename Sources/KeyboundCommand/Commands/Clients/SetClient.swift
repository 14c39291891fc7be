// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthCore
import ServerStorage
import StrictJSON

/// `keybound client set`.
enum SetClient: Command {
    private static let addRedirectURI = Option.list(
        "--add-redirect-uri",
        "URI",
        "one more redirect URI"
    )
    private static let removeRedirectURI = Option.list(
        "--remove-redirect-uri",
        "URI",
        "a redirect URI that it has no longer"
    )
    private static let dryRun = Option.flag("--dry-run", "print what would change, and change nothing")

    static let syntax = CommandSyntax(
        "client set",
        "change what is registered of an app",
        details: [
            "An option replaces what it names: --scope the whole scope, --redirect-uri all redirect URIs. Everything else "
                + "stays, and so do the tokens of the app; a scope that it loses is gone from the next tokens. A running "
                + "server follows at the next request. With --jwks an app gets new keys: name its old and its new key, let it "
                + "use the new one, then name only the new one. The grant types of an app, and the method by which it "
                + "authenticates, cannot be changed: remove the app and register it again."
        ],
        operands: [.required("CLIENT_ID", "the app")],
        options: ClientMetadataOptions.all.map(\.withoutDefault)
            + [addRedirectURI, removeRedirectURI, ClientCredentialOptions.jwks]
            + ClientRequestOptions.changes.map(\.withoutDefault) + ClientMetadataOptions.removals
            + OperatorCommand.options + [dryRun, .json],
        examples: [
            .init(
                "Move an app to another host",
                "keybound client set billing --add-redirect-uri https://new.example/cb "
                    + "--remove-redirect-uri https://old.example/cb"
            ),
            .init("Take a scope away", "keybound client set billing --scope api:read"),
            .init("Replace the keys of a service", "keybound client set billing --jwks billing.jwks"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let clientID = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let outcome = try await OperatorCommand.administering(settings, console, mustExist: true) { administration in
            try await administration.changeClient(clientID, dryRun: arguments.has(dryRun)) { client in
                try change(&client, arguments, settings)
            }
        }
        guard !arguments.has(.json) else {
            console.printJSON(outcome.after.json())
            return
        }
        if outcome.changed.isEmpty { console.note("nothing is different") }
        let (before, after) = (outcome.before.json().objectValue, outcome.after.json().objectValue)
        for name in outcome.changed {
            let texts = [before, after].map { $0?[name].map { String(decoding: $0.encoded(), as: UTF8.self) } ?? "-" }
            console.print("\(name): \(SafeText.of(texts[0])) -> \(SafeText.of(texts[1]))")
        }
        ClientMetadataOptions.warn(of: outcome.after, console)
        ClientFit.warn(of: outcome.after, settings, console)
    }

    private static func change(
        _ client: inout RegisteredClient,
        _ arguments: ParsedArguments,
        _ settings: ServerSettings
    ) throws {
        let isFit = (try? ClientFit.require(client, settings)) != nil
        try ClientMetadataOptions.apply(arguments, settings, to: &client)
        try ClientMetadataOptions.empty(arguments, in: &client)
        for uri in arguments.values(removeRedirectURI) {
            guard client.redirectURIs.contains(uri) else {
                throw CommandFailure.usage(
                    "the app has no redirect URI \(SafeText.of(uri))",
                    hint: "keybound client show prints those that it has"
                )
            }
            client.redirectURIs.removeAll { $0 == uri }
        }
        client.redirectURIs += arguments.values(addRedirectURI).filter { !client.redirectURIs.contains($0) }
        if arguments.has(ClientCredentialOptions.jwks) { client.jwks = try ClientCredentialOptions.keys(arguments) }
        try ClientRequestOptions.change(arguments, in: &client)
        // A client that the server rejects already, because its configuration changed, can still be mended step by step.
        if isFit { try ClientFit.require(client, settings) }
    }
}
#endif
