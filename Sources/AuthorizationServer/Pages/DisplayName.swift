// SPDX-License-Identifier: Apache-2.0

/// An untrusted name, sanitized for a page that the user must trust.
///
/// The name of a client is untrusted input. It may contain control characters that change the reading direction,
/// invisible characters, stacked marks that cover other lines, or five hundred letters that push the buttons off the
/// screen. White space becomes a single space, invisible characters become a visible U+FFFD, and the length is limited.
/// Escaping for HTML is not done here: ``HTMLText`` does that.
struct DisplayName: Sendable, Hashable {
    /// The text to show; never empty, one line.
    let text: String
    /// Whether the text equals the original, scalar for scalar.
    let isFaithful: Bool

    /// Sanitizes a name.
    ///
    /// - Parameters:
    ///   - name: The name as received.
    ///   - limit: The most Unicode scalars to show; a longer name ends in an ellipsis.
    ///   - fallback: The text to show if nothing visible is left.
    init(_ name: String, limit: Int = 64, orElse fallback: String) {
        var cleaner = Cleaner(limit: limit)
        for scalar in name.unicodeScalars {
            guard cleaner.hasRoom else { break }
            cleaner.append(scalar)
        }
        let cleaned = String(cleaner.scalars)
        text = cleaner.hasVisibleScalar ? cleaned : fallback
        isFaithful = cleaned.utf8.elementsEqual(name.utf8)
    }

    /// The first letter or digit as a capital, for a round badge; `nil` if the name starts with anything else.
    var initial: String? {
        guard let first = text.unicodeScalars.first else { return nil }
        guard first.properties.isAlphabetic || first.properties.numericType != nil else { return nil }
        return first.properties.titlecaseMapping
    }
}

/// The state while sanitizing one name.
private struct Cleaner {
    /// No script needs more marks on one letter; more serve only to deface pages.
    static let maximumMarks = 4
    static let replacement: Unicode.Scalar = "\u{FFFD}"

    let limit: Int
    var scalars = String.UnicodeScalarView()
    var count = 0
    var marks = 0
    var spaceIsPending = false
    var hasRoom = true
    var hasVisibleScalar = false

    init(limit: Int) {
        self.limit = limit
    }

    mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar.role(after: scalars.last) {
        case .space:
            spaceIsPending = count > 0
        case .mark:
            appendMark(scalar)
        case .joiner:
            if !spaceIsPending { keep(scalar) }
        case .invisible:
            if scalars.last != Self.replacement || spaceIsPending { keep(Self.replacement) }
        case .visible:
            marks = 0
            keep(scalar)
            hasVisibleScalar = true
        }
    }

    private mutating func appendMark(_ scalar: Unicode.Scalar) {
        guard count > 0, !spaceIsPending, marks < Self.maximumMarks else { return }
        marks += 1
        keep(scalar)
    }

    private mutating func keep(_ scalar: Unicode.Scalar) {
        guard count < limit else {
            scalars.append("\u{2026}")
            hasRoom = false
            return
        }
        if spaceIsPending {
            scalars.append(" ")
            spaceIsPending = false
        }
        scalars.append(scalar)
        count += 1
    }
}

/// The role of a scalar in a line of text.
private enum ScalarRole {
    case visible
    case space
    case mark
    case joiner
    case invisible
}

extension Unicode.Scalar {
    fileprivate func role(after previous: Unicode.Scalar?) -> ScalarRole {
        if properties.isWhitespace { return .space }
        if properties.isVariationSelector { return .mark }
        // Emoji families and Persian words need the joiners; Latin text does not.
        if value == 0x200D || value == 0x200C, let previous, !previous.isASCII { return .joiner }
        // The blank Braille pattern is a symbol in Unicode, but invisible.
        if properties.isDefaultIgnorableCodePoint || value == 0x2800 { return .invisible }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned: .invisible
        case .nonspacingMark, .enclosingMark: .mark
        default: .visible
        }
    }
}
