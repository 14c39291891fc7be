// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCrypto

/// A value of a D-Bus message, of the types that the Secret Service uses.
indirect enum DBusValue: Sendable {
    case string(String)
    case objectPath(String)
    case boolean(Bool)
    /// Only the secret is sent as bytes: wiped with the last copy of the value, unlike an array.
    case bytes(SecretBytes)
    /// Values of one type, by its signature.
    case array(String, [DBusValue])
    case entry(DBusValue, DBusValue)
    case structure([DBusValue])
    case variant(DBusValue)

    /// The type signature in D-Bus syntax.
    var signature: String {
        switch self {
        case .string: "s"
        case .objectPath: "o"
        case .boolean: "b"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        case .structure(let values): "(" + values.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }

    /// A dictionary of strings.
    static func texts(_ texts: [String: String]) -> DBusValue {
        .array("{ss}", texts.sorted { $0.key < $1.key }.map { .entry(.string($0.key), .string($0.value)) })
    }

    var path: String? {
        if case .objectPath(let path) = self { path } else { nil }
    }

    var paths: [String]? {
        guard case .array("o", let values) = self else { return nil }
        return values.compactMap(\.path)
    }
}
#endif
