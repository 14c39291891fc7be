// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import JOSE
import StrictJSON

extension TrustedAttester {
    /// The configured attesters.
    static func all(_ settings: ServerSettings) throws -> [TrustedAttester] {
        try DescribedEntry.all(settings, .attesters, known: ["jwks", "clients", "maximumAge"]).map { entry in
            guard let clients = try entry.texts("clients"), !clients.isEmpty else {
                throw entry.failure("has no 'clients': list the client_id of each client that it may speak for")
            }
            var attester = TrustedAttester(name: entry.name, keys: try keys(entry), clients: clients)
            if let text = try entry.text("maximumAge") {
                guard let age = DurationText.parse(text) else {
                    throw entry.failure("has a maximumAge that is not a duration such as \"24h\"")
                }
                attester.maximumAge = age
            }
            return attester
        }
    }

    private static func keys(_ entry: DescribedEntry) throws -> JWKSet {
        guard let path = try entry.text("jwks") else {
            throw entry.failure("has no 'jwks': name the file that keybound attester jwks printed")
        }
        let content = try entry.naming { try ServerSettings.content(at: path, limit: 1 << 16) }
        guard let object = try? JSONValue(parsing: content).objectValue, let keys = try? JWKSet(parsing: object) else {
            throw entry.failure("names a jwks file that is not a JWK set such as { \"keys\": [ ... ] }")
        }
        // A JWK set drops keys that it cannot use; the operator must be told.
        guard keys.keys.count == object["keys"]?.arrayValue?.count else {
            throw entry.failure("names a jwks file with a private key, or one that is not for verifying signatures")
        }
        return keys
    }
}
