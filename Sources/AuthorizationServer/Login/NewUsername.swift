// SPDX-License-Identifier: Apache-2.0

/// The rules for the name of a new account: the UsernameCasePreserved profile (RFC 8265 section 3.4, RFC 8264 section
/// 4.2) with three differences.
///
/// Invisible characters are not allowed, so that no two names differ only in what nobody can see. Existing accounts
/// keep their names. Letters of different scripts that look alike are not detected. The differences are:
///
/// - A to Z are stored in lower case, as ``Username`` always did. Other capitals stay. The UsernameCaseMapped profile
///   (section 3.3) would map them too, and existing accounts with such names could not sign in any more.
/// - Wide letters are refused instead of mapped, and so is what the profile allows only next to certain other
///   characters, such as joiners.
/// - The Bidi Rule (RFC 5893 section 2) is not applied, since the standard library does not know the directions of
///   characters. Pages isolate a name (`<bdi>`), so it cannot reorder the text around it.
enum NewUsername {
    /// The longest name of a new account, in characters.
    private static let maximumCount = 128

    /// Checks a name.
    ///
    /// - Parameter typed: The name as the operator typed it.
    /// - Returns: Its stored form.
    /// - Throws: ``AuthorizationServerError/Code/invalidValue``; the reason names the first character that is not
    ///   allowed.
    static func stored(_ typed: String) throws(AuthorizationServerError) -> String {
        let name = Username.stored(typed)
        guard (1...maximumCount).contains(name.count), name.utf8.count <= Username.maximumLength else {
            throw AuthorizationServerError(.invalidValue, "a user name has 1 to 128 characters, at most 256 bytes")
        }
        var previous: Unicode.Scalar?
        for (index, scalar) in name.unicodeScalars.enumerated() {
            // RFC 8265 section 3.5: one space between words; on a page, two look like one.
            let isSeparator = scalar == " " && previous != " "
            guard isSeparator || scalar.isAllowedInName else { throw refusal(of: scalar, at: index + 1) }
            previous = scalar
        }
        guard !mixesArabicDigits(name) else {
            throw AuthorizationServerError(
                .invalidValue,
                "the user name mixes the digits U+0660 to U+0669 with U+06F0 to U+06F9, which look alike: use only one "
                    + "of these kinds (RFC 5892 appendices A.8 and A.9)"
            )
        }
        guard isNormalized(name) else {
            throw AuthorizationServerError(
                .invalidValue,
                "the user name is not in Unicode normalization form C: type each accented letter as one character (RFC "
                    + "8265 section 3.4)"
            )
        }
        return name
    }

    private static func refusal(of scalar: Unicode.Scalar, at position: Int) -> AuthorizationServerError {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return AuthorizationServerError(
            .invalidValue,
            "the user name has \(code) as character \(position): use letters, digits, ASCII punctuation, and one space "
                + "between words (RFC 8265 section 3.4)"
        )
    }

    /// Whether the name has digits of both Arabic kinds, of which most look the same.
    private static func mixesArabicDigits(_ name: String) -> Bool {
        let values = name.unicodeScalars.map(\.value)
        return values.contains { (0x660...0x669).contains($0) } && values.contains { (0x6F0...0x6F9).contains($0) }
    }

    /// Whether the name is in normalization form C, in which equivalent texts have the same bytes.
    ///
    /// Older Apple systems cannot check this, and accept every name.
    private static func isNormalized(_ name: String) -> Bool {
        guard #available(macOS 26, iOS 26, visionOS 26, *) else { return true }
        var span = name.utf8Span
        return span.checkForNFC(quickCheck: false)
    }
}

extension Unicode.Scalar {
    /// Whether the IdentifierClass allows the scalar by itself (RFC 8264 sections 4.2 and 8).
    fileprivate var isAllowedInName: Bool {
        // Section 9.11, ASCII7.
        if isASCII { return (0x21...0x7E).contains(value) }
        switch properties.generalCategory {
        // Section 9.1, LetterDigits. All others are controls, spaces, symbols, punctuation, or unassigned (section 4.2.2).
        case .lowercaseLetter, .uppercaseLetter, .otherLetter, .decimalNumber, .modifierLetter, .nonspacingMark,
            .spacingMark:
            return !isException && !isOldHangul && !isVariant
        default:
            return false
        }
    }

    /// Letters that section 9.6 disallows individually.
    private var isException: Bool {
        switch value {
        case 0x0640, 0x07FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: true
        default: false
        }
    }

    /// Parts of Korean syllables, which look like the whole syllables of modern Korean (section 9.9).
    private var isOldHangul: Bool {
        switch value {
        case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF: true
        default: false
        }
    }

    /// Variants of other characters, such as bold or wide letters (section 9.17, HasCompat), and invisible letters
    /// (section 9.13, PrecisIgnorableProperties).
    private var isVariant: Bool {
        properties.lowercaseMapping.unicodeScalars.contains { lowercase in
            switch lowercase.value {
            // Letters that change only because their case is folded: sharp s, final sigma, Cherokee, and Greek letters
            // with iota subscript.
            case 0xDF, 0x3C2, 0x13A0...0x13FD, 0x1F80...0x1FFC, 0xAB70...0xABBF: false
            default: lowercase.properties.changesWhenNFKCCaseFolded
            }
        }
    }
}
