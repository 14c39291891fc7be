// SPDX-License-Identifier: Apache-2.0

/// The name of a new account, in which no two accounts look alike by characters that nobody sees (RFC 8265 section 3.3,
/// RFC 8264 section 4.2).
///
/// Accounts that exist keep their names. The rule is stricter than the UsernameCasePreserved profile where that allows a
/// character only beside certain others, such as joiners. It does not know which letters of different scripts look alike.
enum NewUsername {
    /// The longest name of a new account, in characters.
    private static let maximumCount = 128

    /// Checks a name.
    ///
    /// - Parameter typed: The name as the operator typed it.
    /// - Returns: Its stored form.
    /// - Throws: ``AuthorizationServerError/Code/invalidValue``, with the character that is not allowed.
    static func stored(_ typed: String) throws(AuthorizationServerError) -> String {
        let name = Username.stored(typed)
        guard (1...maximumCount).contains(name.count), name.utf8.count <= Username.maximumLength else {
            throw AuthorizationServerError(.invalidValue, "a user name has 1 to 128 characters, at most 256 bytes")
        }
        var previous: Unicode.Scalar?
        for (index, scalar) in name.unicodeScalars.enumerated() {
            // RFC 8265 section 3.5: words are separated by spaces; two look like one on a page.
            let isSeparator = scalar == " " && previous != " "
            guard isSeparator || scalar.isAllowedInName else { throw refusal(of: scalar, at: index + 1) }
            previous = scalar
        }
        guard isNormalized(name) else {
            throw AuthorizationServerError(
                .invalidValue,
                "the user name is not in Unicode normalization form C: type each accented letter as one character (RFC "
                    + "8265 section 3.3)"
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
                + "between words (RFC 8265 section 3.3)"
        )
    }

    /// Whether equivalent texts would have the same bytes.
    ///
    /// Older systems of Apple cannot tell.
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

    /// Letters that are disallowed one by one (section 9.6).
    private var isException: Bool {
        switch value {
        case 0x0640, 0x07FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: true
        default: false
        }
    }

    /// Parts of syllables, which look like the syllables that modern Korean writes instead (section 9.9).
    private var isOldHangul: Bool {
        switch value {
        case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF: true
        default: false
        }
    }

    /// Other forms of the same characters, such as bold or wide ones (section 9.17, HasCompat), and letters that nobody
    /// sees (section 9.13, PrecisIgnorableProperties).
    private var isVariant: Bool {
        properties.lowercaseMapping.unicodeScalars.contains { lowercase in
            switch lowercase.value {
            // Letters that change when case is folded, and not otherwise: sharp s, final sigma, Cherokee, and Greek with
            // iota subscripts.
            case 0xDF, 0x3C2, 0x13A0...0x13FD, 0x1F80...0x1FFC, 0xAB70...0xABBF: false
            default: lowercase.properties.changesWhenNFKCCaseFolded
            }
        }
    }
}
