// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The texts of fixed length in the records of PKCS #11: padded with spaces, not ended by a null.
enum PKCS11Text {
    /// A text for people: without padding, and without anything that a terminal obeys.
    static func text<Characters>(_ characters: Characters) -> String {
        let text = String(decoding: octets(characters), as: UTF8.self)
        let shown = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format ? "?" : scalar
        }
        return String(String.UnicodeScalarView(shown))
    }

    /// The octets without padding.
    static func octets<Characters>(_ characters: Characters) -> [UInt8] {
        let all = unsafe withUnsafeBytes(of: characters) { unsafe Array($0) }
        // Some modules pad with nulls all the same.
        let end = all.lastIndex { $0 != UInt8(ascii: " ") && $0 != 0 }
        return end.map { Array(all[...$0]) } ?? []
    }
}
#endif
