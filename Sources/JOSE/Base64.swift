// SPDX-License-Identifier: Apache-2.0

/// Base64 with padding (RFC 4648 section 4), for fields of HTTP that want it; everything of JOSE is ``Base64URL``.
package enum Base64 {
    /// Encodes bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text = Base64URL.encodeToBytes(bytes)
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "-"): text[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): text[index] = UInt8(ascii: "/")
            default: break
            }
        }
        text += repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        return String(decoding: text, as: UTF8.self)
    }
}
