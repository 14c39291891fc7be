// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// Compares media types in `typ` (RFC 7515 section 4.1.9).
package enum MediaType {
    /// Whether `typ` names a media type.
    ///
    /// Ignores ASCII case; the prefix `application/` is optional.
    package static func isSame(_ typ: String, _ expected: String) -> Bool {
        // Nearly all tokens use this spelling.
        if typ.isIdentical(to: expected) { return true }
        let prefix = "application/".utf8
        var value = typ.utf8.map(lowercased)[...]
        if value.starts(with: prefix) { value = value.dropFirst(prefix.count) }
        return value.elementsEqual(expected.utf8.map(lowercased))
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
