// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import StrictJSON

/// Reads the members of a client in a file; a member of another type is an error that names it.
struct ClientMembers {
    private let object: JSONObject

    init(_ object: JSONObject) {
        self.object = object
    }

    func text(_ name: String) throws -> String? {
        try value(name, "a string", \.stringValue)
    }

    /// A list of strings; `nil` if the member is missing.
    func texts(_ name: String) throws -> [String]? {
        guard let values = try value(name, "an array of strings", \.arrayValue) else { return nil }
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { throw Self.failure(name, "an array of strings") }
        return texts
    }

    func flag(_ name: String, standard: Bool) throws -> Bool {
        try value(name, "true or false", \.boolValue) ?? standard
    }

    func algorithm(_ name: String) throws -> SignatureAlgorithm? {
        guard let algorithm = try text(name).map({ SignatureAlgorithm(rawValue: $0) }) else { return nil }
        guard SignatureAlgorithm.all.contains(algorithm) else {
            throw Self.failure(name, "a signature algorithm such as ES256")
        }
        return algorithm
    }

    /// Public keys; none if the member is missing.
    func keys(_ name: String) throws -> JWKSet {
        guard let object = try value(name, "a JWK set", \.objectValue) else { return JWKSet([]) }
        // A JWK set drops keys that it cannot use; the operator must be told.
        guard let set = try? JWKSet(parsing: object), set.keys.count == object["keys"]?.arrayValue?.count else {
            throw CommandFailure.usage(
                "'\(name)' is not a JWK set, or contains a private key, or one that is not for verifying signatures",
                hint: "give only the client's public keys"
            )
        }
        return set
    }

    private func value<Value>(_ name: String, _ type: String, _ read: (JSONValue) -> Value?) throws -> Value? {
        guard let value = object[name] else { return nil }
        guard let found = read(value) else { throw Self.failure(name, type) }
        return found
    }

    private static func failure(_ name: String, _ type: String) -> CommandFailure {
        CommandFailure.usage("'\(name)' is not \(type)")
    }
}
#endif
