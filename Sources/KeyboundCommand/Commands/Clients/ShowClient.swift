// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import DPoP
import JOSE
import OAuthCore
import ServerStorage
import StrictJSON

/// `keybound client show`.
enum ShowClient: Command {
    static let syntax = CommandSyntax(
        "client show",
        "show what an app may do, and who registered it",
        details: ["Secrets are not shown: only their hashes are stored."],
        operands: [.required("CLIENT_ID", "the app")],
        options: OperatorCommand.options + [.json],
        examples: [.init("What may this app do?", "keybound client show billing")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let clientID = try arguments.requiredOperand(0)
        let settings = try ServerSettings(arguments, optionsFor: Setting.storage)
        let found = try await OperatorCommand.withStorage(settings, mustExist: true) { try await $0.client(clientID) }
        guard let client = found else {
            throw CommandFailure(
                .failure,
                "there is no client \(SafeText.of(clientID))",
                hint: "keybound client list shows all of them"
            )
        }
        guard !arguments.has(.json) else {
            console.printJSON(client.json())
            return
        }
        console.print("\(client.clientID)  \(console.style.bold(SafeText.of(client.name)))")
        for (label, value) in client.facts {
            console.print("  \(label.padded(to: 20))\(SafeText.of(value))")
        }
    }
}

extension RegisteredClient {
    private var originText: String {
        switch origin {
        case .registeredByOperator: "by an operator"
        case .registeredItself: "by itself"
        case .document: "in its metadata document"
        }
    }

    /// What is registered, one line each, for people.
    fileprivate var facts: [(label: String, value: String)] {
        var facts: [(String, String)] = [
            (
                "registered",
                "\(TimeText.text(of: createdAt)), \(originText)"
            ),
            ("authenticates by", isPublic ? "nothing: a public client" : tokenEndpointAuthMethod.rawValue),
        ]
        if !secretHashes.isEmpty { facts.append(("secrets", "\(secretHashes.count)")) }
        if !jwks.keys.isEmpty { facts.append(("keys", "\(jwks.keys.count)")) }
        if let jwksURI { facts.append(("keys at", jwksURI)) }
        facts += grantTypes.map { ("grant type", $0.rawValue) }
        facts.append(("scope", scope.isEmpty ? "none" : scope.description))
        facts.append(
            ("tokens", dpopBoundAccessTokens ? "bound to a key (DPoP)" : "Bearer where the server allows them")
        )
        if let applicationType { facts.append(("application type", applicationType.rawValue)) }
        facts += redirectURIs.map { ("redirect URI", $0) }
        facts += postLogoutRedirectURIs.map { ("after sign-out", $0) }
        facts += allowedWebOrigins.map { ("web origin", $0) }
        facts += introspectionAudiences.map { ("introspects for", $0) }
        facts += tokenExchangeRights.map { ("exchange right", $0.rawValue) }
        facts += authorizationDetailTypes.map { ("details type", $0) }
        if requirePushedAuthorizationRequests { facts.append(("demands", "pushed authorization requests")) }
        if requireSignedRequestObject { facts.append(("demands", "signed request objects")) }
        if dpopBoundAuthorizationCodes { facts.append(("demands", "codes that are bound to a key")) }
        if let noncePolicy { facts.append(("nonces", noncePolicy.rawValue)) }
        if let expiresAt { facts.append(("forgotten", TimeText.text(of: expiresAt) + " unless it gets a token")) }
        if let documentExpiresAt { facts.append(("read again after", TimeText.text(of: documentExpiresAt))) }
        return facts
    }
}
#endif
