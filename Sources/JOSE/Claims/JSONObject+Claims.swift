// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem
package import StrictJSON

extension JSONObject {
    /// An optional member; throws if it is present and not a string.
    package func optionalString(_ name: JSONName) throws(JOSEError) -> String? {
        guard isFolded else { return try optionalString(of: self[name.text], name) }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return nil }
        guard let string = document.string(at: position) else { throw Self.notAString(name) }
        return string
    }

    private func optionalString(of value: JSONValue?, _ name: JSONName) throws(JOSEError) -> String? {
        guard let value else { return nil }
        guard let string = value.stringValue else { throw Self.notAString(name) }
        return string
    }

    static func notAString(_ name: JSONName) -> JOSEError {
        JOSEError(.invalidClaim, "'\(name.text)' is not a string")
    }

    /// A required member; throws if it is missing or not a string.
    package func requiredString(_ name: JSONName) throws(JOSEError) -> String {
        guard let string = try optionalString(name) else { throw Self.missing(name) }
        return string
    }

    static func missing(_ name: JSONName) -> JOSEError { JOSEError(.invalidClaim, "'\(name.text)' is missing") }

    /// Whether a member is a string equal to a text, byte by byte.
    func isString(_ name: JSONName, identicalTo text: String) -> Bool {
        text.withUTF8Span { isString(name, identicalTo: $0) }
    }

    /// Whether a member is a string equal to a constant text, byte by byte.
    package func isString(_ name: JSONName, _ text: JSONName) -> Bool {
        guard isFolded else { return isString(name, identicalTo: text.text) }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return false }
        return document.isString(at: position, text)
    }

    private func isString(_ name: JSONName, identicalTo text: Span<UInt8>) -> Bool {
        guard isFolded else {
            return self[name.text]?.stringValue?.withUTF8Span { $0.isIdentical(to: text) } == true
        }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return false }
        return document.isString(at: position, identicalTo: text)
    }

    /// An optional NumericDate (RFC 7519 section 2), without fractions of a second; throws if it has another type.
    package func optionalDate(_ name: JSONName) throws(JOSEError) -> Timestamp? {
        guard isFolded else { return try self[name.text].map { value throws(JOSEError) in try Self.date(name, value) } }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return nil }
        return try Self.date(name, at: position, of: document)
    }

    static func date(_ name: JSONName, at index: Int, of document: JSONDocument) throws(JOSEError) -> Timestamp {
        // Nearly all dates are integers.
        if let seconds = document.integer(at: index), seconds.magnitude <= largestDate {
            return Timestamp(secondsSince1970: seconds)
        }
        return try date(name, document.value(at: index))
    }

    private static func date(_ name: JSONName, _ value: JSONValue) throws(JOSEError) -> Timestamp {
        guard case .number(let number) = value, number.double.magnitude <= Double(largestDate) else {
            throw notADate(name)
        }
        return Timestamp(secondsSince1970: number.integer ?? Int64(number.double.rounded(.down)))
    }

    /// Beyond 2^53, a floating-point value is not exact to the second.
    private static let largestDate: UInt64 = 1 << 53

    private static func notADate(_ name: JSONName) -> JOSEError {
        JOSEError(.invalidClaim, "'\(name.text)' is not a number of seconds since 1970")
    }
}
