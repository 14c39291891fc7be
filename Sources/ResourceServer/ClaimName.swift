// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
package import StrictJSON

/// The name of a claim of an access token, or its place within another claim.
///
/// A text that begins with `/` is a JSON Pointer: `/realm_access/roles` is the member `roles` of the object
/// `realm_access`. In its parts, `~1` stands for `/`, and `~0` for `~`. It leads through objects only, not into arrays. Any
/// other text is the name of a claim, whatever it contains, such as `https://example.com/roles` or `realm_access.roles`.
///
/// ## Specification
///
/// [RFC 6901 §3](https://www.rfc-editor.org/rfc/rfc6901#section-3)
public struct ClaimName: Sendable, Hashable, CustomStringConvertible {
    /// The names of the members that lead to the claim, the outermost first.
    private let path: [String]

    /// Reads a name.
    ///
    /// - Parameter text: A name, or a JSON Pointer that begins with `/`.
    /// - Throws: ``ResourceServerError`` – ``ResourceServerError/Code/invalidConfiguration`` if a name is empty, or if `~` is
    ///   followed by anything but `0` and `1` in a pointer.
    public init(_ text: String) throws(ResourceServerError) {
        guard text.utf8.first == UInt8(ascii: "/") else {
            guard !text.isEmpty else {
                throw ResourceServerError(.invalidConfiguration, "the name of a claim is empty")
            }
            path = [text]
            return
        }
        var path: [String] = []
        for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !part.isEmpty else {
                throw ResourceServerError(
                    .invalidConfiguration,
                    "the claim '\(text)' has an empty name between slashes or at its end"
                )
            }
            guard let name = Self.unescaped(part) else {
                throw ResourceServerError(
                    .invalidConfiguration,
                    "the claim '\(text)' begins with a slash, so '~' must be written as '~0'"
                )
            }
            path.append(name)
        }
        self.path = path
    }

    /// The name, or the pointer if the claim is within another one.
    public var description: String {
        if path.count == 1, let name = path.first, name.utf8.first != UInt8(ascii: "/") { return name }
        return path.map { "/" + Self.escaped($0) }.joined()
    }

    /// Whether two names mean the same claim, compared byte by byte; `/groups` means the same as `groups`.
    public static func == (left: Self, right: Self) -> Bool {
        left.path.elementsEqual(right.path) { $0.isIdentical(to: $1) }
    }

    /// The claim; `nil` if a member on the way is missing or not an object.
    package func value(in claims: JSONObject) -> JSONValue? {
        guard let last = path.last else { return nil }
        var object = claims
        for name in path.dropLast() {
            guard let inner = object[name]?.objectValue else { return nil }
            object = inner
        }
        return object[last]
    }

    /// RFC 6901 section 4: `~1` is `/`, `~0` is `~`, and nothing else may follow `~`.
    private static func unescaped(_ part: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in part {
            if isEscaped {
                switch byte {
                case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
                case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
                default: return nil
                }
                isEscaped = false
            } else if byte == UInt8(ascii: "~") {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return isEscaped ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func escaped(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
