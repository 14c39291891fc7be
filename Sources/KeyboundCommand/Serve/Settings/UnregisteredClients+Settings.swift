// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import OAuthCore

extension UnregisteredClients {
    /// The rules for clients that no operator knows.
    init(_ settings: ServerSettings, bearerTokensAreAllowed: Bool) throws {
        self.init()
        documents = try Self.documents(settings)
        isRegistrationOpen = try settings.flag(.openRegistration)
        if settings.isGiven(.unregisteredClientScopes) {
            guard let scope = try? Scope(settings.values(.unregisteredClientScopes)) else {
                throw CommandFailure.usage(
                    "\(settings.place(of: .unregisteredClientScopes)) has a name that cannot be a scope"
                )
            }
            self.scope = scope
        }
        allowsBearerTokens = try settings.flag(.unregisteredClientBearerTokens)
        guard bearerTokensAreAllowed || !allowsBearerTokens else {
            throw CommandFailure.usage(
                "\(settings.place(of: .unregisteredClientBearerTokens)) needs a server that issues such tokens",
                hint: "add --allow-bearer-tokens, or 'allowBearerTokens' in the configuration file"
            )
        }
        lifetime = try settings.duration(.unregisteredClientLifetime, lifetime)
        if settings.isGiven(.clientDocumentPorts) {
            documentPorts = Set(
                try settings.values(.clientDocumentPorts).map { text in
                    guard let port = UInt16(text), port > 0 else {
                        throw CommandFailure.usage("\(settings.place(of: .clientDocumentPorts)) is not a port")
                    }
                    return port
                }
            )
        }
        allowsInsecureLoopbackDocuments = try settings.flag(.insecureLoopbackDocuments)
    }

    private static func documents(_ settings: ServerSettings) throws -> ClientDocumentPolicy {
        let values = settings.values(.clientDocuments)
        if values.isEmpty || values == ["off"] { return .off }
        if values == ["everybody"] { return .everybody }
        guard !values.contains("off"), !values.contains("everybody") else {
            throw CommandFailure.usage(
                "\(settings.place(of: .clientDocuments)) names hosts, and off or everybody, which stand alone"
            )
        }
        return .hosts(values)
    }
}
