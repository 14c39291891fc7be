// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthClient
import OAuthCore
import StrictJSON

/// `keybound client document`.
enum PrintClientDocument: Command {
    private static let identifier = Option.value(
        "--id",
        "URL",
        "the https URL at which the document will be "
            + "published"
    )
    private static let redirectURI = Option.list("--redirect-uri", "URI", "a redirect URI for codes")
    private static let name = Option.value("--name", "NAME", "the name shown on consent pages")
    private static let scope = Option.list("--scope", "SCOPE", "a scope that it may request")
    private static let keys = Option.value(
        "--jwks",
        "FILE",
        "its public keys, for a client that signs assertions; - is standard input"
    )

    static let syntax = CommandSyntax(
        "client document",
        "write the metadata document of an app whose client_id is a URL",
        details: [
            "A server whose metadata says client_id_metadata_document_supported fetches the document from the "
                + "client_id, which is its URL, and needs no registration. Publish it exactly there, as "
                + "application/json. The command rejects documents that servers would reject."
        ],
        options: [identifier, redirectURI, name, scope, keys],
        examples: [
            .init(
                "A mobile app",
                "keybound client document --id https://app.example.com/client.json --name 'My app' "
                    + "--redirect-uri com.example.app:/callback >client.json"
            )
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        var metadata = ClientMetadata()
        metadata.clientName = arguments.value(name)
        let redirectURIs = arguments.values(redirectURI)
        if !redirectURIs.isEmpty { metadata.redirectURIs = redirectURIs }
        let scopes = arguments.values(scope).flatMap { $0.split(separator: " ").map(String.init) }
        do {
            if !scopes.isEmpty { metadata.scope = try Scope(scopes) }
        } catch {
            throw CommandFailure.usage("\(scope.name): \(error.reason)")
        }
        metadata.grantTypes = ["authorization_code", "refresh_token"]
        if let file = arguments.value(keys) {
            metadata.jwks = try publicKeys(file)
            metadata.tokenEndpointAuthMethod = .privateKeyJWT
        }
        let document = try ClientMetadataDocument(clientID: arguments.required(identifier), metadata: metadata)
        console.printJSON(.object(document.json))
    }

    private static func publicKeys(_ file: String) throws -> JWKSet {
        let content = try InputFile.read(file)
        guard let object = try? JSONValue(parsing: content).objectValue else {
            throw CommandFailure(.failure, "\(file) is not a JWK set")
        }
        // Parsed one by one: a JWK set drops unknown keys, but a private key must be reported.
        let keys = object["keys"]?.arrayValue ?? [.object(object)]
        do {
            return JWKSet(try keys.map { key throws(JOSEError) in try JWK(parsing: key.objectValue ?? [:]) })
        } catch {
            throw CommandFailure(.failure, "\(file): \(error.reason)")
        }
    }
}
