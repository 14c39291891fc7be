// SPDX-License-Identifier: Apache-2.0

extension JSONObject {
    /// A member that must be a string when it is there.
    package func optionalString(_ name: String) throws(JOSEError) -> String? {
        guard let value = self[name] else { return nil }
        guard let string = value.stringValue else { throw JOSEError(.invalidClaim, "'\(name)' is not a string") }
        return string
    }

    /// A member that must be a string.
    package func requiredString(_ name: String) throws(JOSEError) -> String {
        guard let string = try optionalString(name) else { throw JOSEError(.invalidClaim, "'\(name)' is missing") }
        return string
    }

    /// A member that must be a NumericDate when it is there (RFC 7519 section 2); fractions are cut off.
    package func optionalDate(_ name: String) throws(JOSEError) -> Timestamp? {
        guard let value = self[name] else { return nil }
        // 2^53: beyond it, a floating-point value is not exact to the second.
        guard case .number(let number) = value, number.double.magnitude <= 9_007_199_254_740_992 else {
            throw JOSEError(.invalidClaim, "'\(name)' is not a number of seconds since 1970")
        }
        return Timestamp(secondsSince1970: number.integer ?? Int64(number.double.rounded(.down)))
    }
}
