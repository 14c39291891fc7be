// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

extension JSONObject {
    /// A member that must be a string when it is there.
    package func optionalString(_ name: StaticString) throws(JOSEError) -> String? {
        guard isFolded else { return try optionalString(of: self[name.description], name) }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return nil }
        guard let string = document.string(at: position) else { throw Self.notAString(name) }
        return string
    }

    private func optionalString(of value: JSONValue?, _ name: StaticString) throws(JOSEError) -> String? {
        guard let value else { return nil }
        guard let string = value.stringValue else { throw Self.notAString(name) }
        return string
    }

    private static func notAString(_ name: StaticString) -> JOSEError {
        JOSEError(.invalidClaim, "'\(name)' is not a string")
    }

    /// A member that must be a string.
    package func requiredString(_ name: StaticString) throws(JOSEError) -> String {
        guard let string = try optionalString(name) else { throw JOSEError(.invalidClaim, "'\(name)' is missing") }
        return string
    }

    /// Checks that a member is a string.
    package func requireString(_ name: StaticString) throws(JOSEError) {
        guard try hasString(name) else { throw JOSEError(.invalidClaim, "'\(name)' is missing") }
    }

    /// Checks that a member is a string when it is there.
    package func requireStringIfPresent(_ name: StaticString) throws(JOSEError) {
        _ = try hasString(name)
    }

    /// Whether there is a member, which must be a string.
    private func hasString(_ name: StaticString) throws(JOSEError) -> Bool {
        guard isFolded else { return try optionalString(of: self[name.description], name) != nil }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return false }
        guard document.isString(at: position) else { throw Self.notAString(name) }
        return true
    }

    /// Whether a member is a string, byte by byte that of a text.
    package func isString(_ name: StaticString, identicalTo text: String) -> Bool {
        text.withUTF8Span { isString(name, identicalTo: $0) }
    }

    /// Whether a member is a string, byte by byte a text that the program holds.
    package func isString(_ name: StaticString, _ text: StaticString) -> Bool {
        guard isFolded else { return isString(name, identicalTo: text.description) }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return false }
        return document.isString(at: position, JSONName(text))
    }

    private func isString(_ name: StaticString, identicalTo text: Span<UInt8>) -> Bool {
        guard isFolded else {
            return self[name.description]?.stringValue?.withUTF8Span { $0.isIdentical(to: text) } == true
        }
        guard let position = document.indexOfMember(name, ofObjectAt: index) else { return false }
        return document.isString(at: position, identicalTo: text)
    }

    /// A member that must be a NumericDate when it is there (RFC 7519 section 2); fractions are cut off.
    package func optionalDate(_ name: StaticString) throws(JOSEError) -> Timestamp? {
        if isFolded {
            guard let position = document.indexOfMember(name, ofObjectAt: index) else { return nil }
            // So nearly all dates are written.
            if let seconds = document.integer(at: position), seconds.magnitude <= Self.largestDate {
                return Timestamp(secondsSince1970: seconds)
            }
        }
        guard let value = self[name.description] else { return nil }
        guard case .number(let number) = value, number.double.magnitude <= Double(Self.largestDate) else {
            throw Self.notADate(name)
        }
        return Timestamp(secondsSince1970: number.integer ?? Int64(number.double.rounded(.down)))
    }

    /// Beyond 2^53, a floating-point value is not exact to the second.
    private static let largestDate: UInt64 = 1 << 53

    private static func notADate(_ name: StaticString) -> JOSEError {
        JOSEError(.invalidClaim, "'\(name)' is not a number of seconds since 1970")
    }
}
