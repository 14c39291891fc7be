// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// The first form of a page; parses only as much HTML as that needs.
struct HTMLForm {
    let title: String
    let action: String
    /// The fields, with the values that the page gave them.
    let inputs: [(name: String, value: String)]
    /// The names of the buttons.
    let buttons: [String]

    init?(in html: String) {
        let heading = Self.text(between: "<h1>", and: "</h1>", in: html)
        let html = Self.text(between: "<form", and: "</form>", in: html).map { "<form" + $0 } ?? ""
        guard let form = Self.tags("form", in: html).first, let action = Self.attribute("action", of: form) else {
            return nil
        }
        self.action = Self.unescaped(action)
        title = Self.withoutTags(heading ?? "")
        inputs = Self.tags("input", in: html).compactMap { tag in
            Self.attribute("name", of: tag).map { ($0, Self.unescaped(Self.attribute("value", of: tag) ?? "")) }
        }
        buttons = Self.tags("button", in: html).compactMap { Self.attribute("name", of: $0) }
    }

    private static func tags(_ name: String, in html: String) -> [String] {
        html.split(separator: "<").compactMap { piece in
            guard piece.hasPrefix(name + " "), let end = piece.firstIndex(of: ">") else { return nil }
            return String(piece[..<end])
        }
    }

    private static func attribute(_ name: String, of tag: String) -> String? {
        text(between: " \(name)=\"", and: "\"", in: tag)
    }

    private static func text(between start: String, and end: String, in text: String) -> String? {
        guard let from = text.firstRange(ofText: start)?.upperBound,
            let to = text[from...].firstRange(ofText: end)?.lowerBound
        else { return nil }
        return String(text[from..<to])
    }

    private static func withoutTags(_ html: String) -> String {
        let pieces = html.split(separator: "<", omittingEmptySubsequences: false)
        let texts = pieces.enumerated().map { $0 == 0 ? $1 : $1.drop { $0 != ">" }.dropFirst() }
        return unescaped(texts.joined())
    }

    private static func unescaped(_ text: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(text) { $0.replacing(text: $1.0, with: $1.1) }
    }
}
