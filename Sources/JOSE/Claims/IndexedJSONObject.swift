// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem
package import StrictJSON

/// A JSON object that was read and is not changed: for who wants many of its members, and finds them in one pass.
///
/// A place is the number of a value in the text; zero, which is no string and no number, stands for a member that is not there.
package struct IndexedJSONObject: Sendable, Hashable {
    private let document: JSONDocument

    /// Takes the object that a document is; `nil` when it is another value.
    init?(_ document: JSONDocument) {
        guard document.isObject(at: 0) else { return nil }
        self.document = document
    }

    /// The object as any other.
    package var object: JSONObject { JSONObject(document: document, index: 0) }

    /// Calls a function with each member, in order.
    ///
    /// - Parameter body: Gets the name, which is valid only during the call, and the place of the value.
    package func forEachMember(_ body: (JSONName, Int) -> Void) {
        document.forEachMember(ofObjectAt: 0, body)
    }

    /// Checks that a string stands at a place, or nothing.
    package func requireStringIfPresent(_ name: JSONName, at place: Int) throws(JOSEError) {
        guard place == 0 || document.isString(at: place) else { throw JSONObject.notAString(name) }
    }

    /// Checks that a string stands at a place.
    package func requireString(_ name: JSONName, at place: Int) throws(JOSEError) {
        guard place != 0 else { throw JSONObject.missing(name) }
        try requireStringIfPresent(name, at: place)
    }

    /// The NumericDate at a place (RFC 7519 section 2), or `nil` where nothing stands; fractions are cut off.
    package func optionalDate(_ name: JSONName, at place: Int) throws(JOSEError) -> Timestamp? {
        place == 0 ? nil : try JSONObject.date(name, at: place, of: document)
    }

    /// The string at a place; `nil` without one.
    package func string(at place: Int) -> String? { document.string(at: place) }

    /// Whether the string at a place is, byte by byte, that of a text.
    package func isString(at place: Int, identicalTo text: String) -> Bool {
        text.withUTF8Span { document.isString(at: place, identicalTo: $0) }
    }

    /// The 32 octets that the string at a place stands for in base64url; `nil` for anything else.
    package func bytes32(at place: Int) -> Bytes32? { document.bytes32(at: place) }

    /// Calls a function with the octets of the string at a place; not when there is none.
    package func readString(at place: Int, _ body: (Span<UInt8>) -> Void) { document.readString(at: place, body) }

    package static func == (left: Self, right: Self) -> Bool { left.object == right.object }

    package func hash(into hasher: inout Hasher) { hasher.combine(object) }
}
