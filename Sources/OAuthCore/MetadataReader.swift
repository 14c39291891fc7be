// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import StrictJSON

/// Reads the known members of a metadata document by type; the others remain in ``rest``.
struct MetadataReader {
    private(set) var rest: JSONObject

    init(_ object: JSONObject) {
        rest = object
    }

    /// A member that must be a string; `null` counts as absent.
    mutating func string(_ name: String) throws(OAuthCoreError) -> String? {
        guard let value = take(name) else { return nil }
        guard let text = value.stringValue else { throw Self.malformed(name, "a string") }
        return text
    }

    /// A member that must be a URI.
    mutating func uri(_ name: String) throws(OAuthCoreError) -> URI? {
        guard let text = try string(name) else { return nil }
        guard let uri = try? URI(parsing: text) else { throw Self.malformed(name, "an absolute URI") }
        return uri
    }

    /// A member that must be an array of strings.
    mutating func strings(_ name: String) throws(OAuthCoreError) -> [String]? {
        guard let value = take(name) else { return nil }
        let strings = value.arrayValue?.compactMap(\.stringValue)
        guard let strings, strings.count == value.arrayValue?.count else {
            throw Self.malformed(name, "an array of strings")
        }
        return strings
    }

    /// A member that must be a Boolean; absent is `false`.
    mutating func flag(_ name: String) throws(OAuthCoreError) -> Bool {
        guard let value = take(name) else { return false }
        guard let flag = value.boolValue else { throw Self.malformed(name, "true or false") }
        return flag
    }

    /// A member that must be an object of URIs, such as `mtls_endpoint_aliases`; members that are not URIs are left
    /// out.
    mutating func uris(_ name: String) throws(OAuthCoreError) -> [String: URI] {
        guard let value = take(name) else { return [:] }
        guard let object = value.objectValue else { throw Self.malformed(name, "an object") }
        return Dictionary(
            object.members.compactMap { member in
                member.value.stringValue.flatMap { try? URI(parsing: $0) }.map { (member.name, $0) }
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// A member that must be a JWK Set.
    mutating func keys(_ name: String) throws(OAuthCoreError) -> JWKSet? {
        guard let value = take(name) else { return nil }
        guard let set = value.objectValue.flatMap({ try? JWKSet(parsing: $0) }) else {
            throw Self.malformed(name, "a set of keys")
        }
        return set
    }

    private mutating func take(_ name: String) -> JSONValue? {
        defer { rest[name] = nil }
        return rest[name].flatMap { $0 == .null ? nil : $0 }
    }

    private static func malformed(_ name: String, _ expected: String) -> OAuthCoreError {
        OAuthCoreError(.malformedMetadata, "the member '\(name)' of the metadata is not \(expected)")
    }
}
