// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The fixed-length texts in PKCS #11 structures, padded with spaces and not null-terminated.
enum PKCS11Text {
    /// A text to display: without padding and without terminal control characters.
    static func text<Characters>(_ characters: Characters) -> String {
        let text = String(decoding: octets(characters), as: UTF8.self)
        let shown = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format ? "?" : scalar
        }
        return String(String.UnicodeScalarView(shown))
    }

    /// The bytes without padding.
    static func octets<Characters>(_ characters: Characters) -> [UInt8] {
        let all = unsafe withUnsafeBytes(of: characters) { unsafe Array($0) }
        // Some modules pad with nulls nevertheless.
        let end = all.lastIndex { $0 != UInt8(ascii: " ") && $0 != 0 }
        return end.map { Array(all[...$0]) } ?? []
    }
}
#endif
