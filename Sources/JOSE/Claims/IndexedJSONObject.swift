// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem
package import StrictJSON

/// A read-only view of a parsed JSON object that finds several members in one pass.
///
/// A `place` is the index of a value in the parsed document. Index zero is the object itself, neither a string nor a
/// number, so it stands for a missing member.
package struct IndexedJSONObject: Sendable, Hashable {
    private let document: JSONDocument

    /// `nil` if the document is not an object.
    init?(_ document: JSONDocument) {
        guard document.isObject(at: 0) else { return nil }
        self.document = document
    }

    /// The same object as a ``JSONObject``.
    package var object: JSONObject { JSONObject(document: document, index: 0) }

    /// Calls a function with each member, in order.
    ///
    /// - Parameter body: Receives the name, which is valid only during the call, and the index of the value.
    package func forEachMember(_ body: (JSONName, Int) -> Void) {
        document.forEachMember(ofObjectAt: 0, body)
    }

    /// Throws if the value at an index is not a string; a missing member passes.
    package func requireStringIfPresent(_ name: JSONName, at place: Int) throws(JOSEError) {
        guard place == 0 || document.isString(at: place) else { throw JSONObject.notAString(name) }
    }

    /// Throws if the value at an index is not a string, or is missing.
    package func requireString(_ name: JSONName, at place: Int) throws(JOSEError) {
        guard place != 0 else { throw JSONObject.missing(name) }
        try requireStringIfPresent(name, at: place)
    }

    /// The NumericDate at an index (RFC 7519 section 2), without fractions of a second; `nil` if the member is missing.
    package func optionalDate(_ name: JSONName, at place: Int) throws(JOSEError) -> Timestamp? {
        place == 0 ? nil : try JSONObject.date(name, at: place, of: document)
    }

    /// The string at an index; `nil` if there is none.
    package func string(at place: Int) -> String? { document.string(at: place) }

    /// Whether the string at an index equals a text, byte by byte.
    package func isString(at place: Int, identicalTo text: String) -> Bool {
        text.withUTF8Span { document.isString(at: place, identicalTo: $0) }
    }

    /// The 32 bytes that the string at an index encodes in base64url; `nil` for anything else.
    package func bytes32(at place: Int) -> Bytes32? { document.bytes32(at: place) }

    /// Calls a function with the bytes of the string at an index.
    ///
    /// Does nothing if there is no string.
    package func readString(at place: Int, _ body: (Span<UInt8>) -> Void) { document.readString(at: place, body) }

    package static func == (left: Self, right: Self) -> Bool { left.object == right.object }

    package func hash(into hasher: inout Hasher) { hasher.combine(object) }
}
