// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto

extension JSONObject {
    /// A member that must be a string when it is there.
    package func optionalString(_ name: StaticString) throws(JOSEError) -> String? {
        if let string = string(name) { return string }
        guard !hasMember(name) else { throw JOSEError(.invalidClaim, "'\(name)' is not a string") }
        return nil
    }

    /// A member that must be a string.
    package func requiredString(_ name: StaticString) throws(JOSEError) -> String {
        guard let string = try optionalString(name) else { throw JOSEError(.invalidClaim, "'\(name)' is missing") }
        return string
    }

    /// Checks that a member is a string.
    package func requireString(_ name: StaticString) throws(JOSEError) {
        guard withString(name, { _ in true }) == true else {
            throw JOSEError(.invalidClaim, hasMember(name) ? "'\(name)' is not a string" : "'\(name)' is missing")
        }
    }

    /// Checks that a member is a string when it is there.
    package func requireStringIfPresent(_ name: StaticString) throws(JOSEError) {
        guard withString(name, { _ in true }) == true || !hasMember(name) else {
            throw JOSEError(.invalidClaim, "'\(name)' is not a string")
        }
    }

    /// Whether a member is a string, byte by byte that of a text.
    package func isString(_ name: StaticString, identicalTo text: String) -> Bool {
        withString(name) { string in text.withUTF8Span { string.isIdentical(to: $0) } } == true
    }

    /// A member that must be a NumericDate when it is there (RFC 7519 section 2); fractions are cut off.
    package func optionalDate(_ name: StaticString) throws(JOSEError) -> Timestamp? {
        // Beyond 2^53, a floating-point value is not exact to the second.
        let limit: Int64 = 1 << 53
        if let seconds = integer(name) {
            guard seconds.magnitude <= limit else { throw Self.notADate(name) }
            return Timestamp(secondsSince1970: seconds)
        }
        guard hasMember(name), let value = self[name.description] else { return nil }
        guard case .number(let number) = value, number.double.magnitude <= Double(limit) else {
            throw Self.notADate(name)
        }
        return Timestamp(secondsSince1970: Int64(number.double.rounded(.down)))
    }

    private static func notADate(_ name: StaticString) -> JOSEError {
        JOSEError(.invalidClaim, "'\(name)' is not a number of seconds since 1970")
    }
}
