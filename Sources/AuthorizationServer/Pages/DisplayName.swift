// SPDX-License-Identifier: Apache-2.0

/// A name somebody else chose, made fit to be shown on a page that asks for trust.
///
/// The name of a client is hostile input: it may carry control characters that turn the reading direction, invisible
/// characters, marks piled up over other lines, or five hundred letters that push the buttons off the screen. White
/// space becomes one space, what cannot be seen becomes U+FFFD so that the oddity shows, and the length is limited.
/// Escaping for HTML is not done here: ``HTMLText`` does that.
struct DisplayName: Sendable, Hashable {
    /// What to show; never empty, one line.
    let text: String
    /// Whether the text is, scalar for scalar, what was given.
    let isFaithful: Bool

    /// Cleans a name.
    ///
    /// - Parameters:
    ///   - name: The name as it was received.
    ///   - limit: The most Unicode scalars shown; what is longer ends in an ellipsis.
    ///   - fallback: What is shown when nothing visible is left.
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

    /// The first letter or digit in capitals, for a round badge; `nil` when the name starts otherwise.
    var initial: String? {
        guard let first = text.unicodeScalars.first else { return nil }
        guard first.properties.isAlphabetic || first.properties.numericType != nil else { return nil }
        return first.properties.titlecaseMapping
    }
}

/// The state of cleaning one name.
private struct Cleaner {
    /// More marks than this on one letter are for defacing pages, not for any script.
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

/// What a scalar does on a line of text.
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
        // The blank Braille pattern is a symbol to Unicode and nothing to the eye.
        if properties.isDefaultIgnorableCodePoint || value == 0x2800 { return .invisible }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned: .invisible
        case .nonspacingMark, .enclosingMark: .mark
        default: .visible
        }
    }
}
