// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// A page of the server as the user sees it: its heading and its first form.
struct SignInPage {
    /// The text of `h1`; empty if there is none.
    let heading: String
    /// The `action` of the form.
    let action: String
    /// The hidden fields of the form.
    let hidden: FormParameters
    let asksForPassword: Bool
    let asksForDecision: Bool

    init(_ response: HTTPResponse) {
        let html = String(decoding: response.body, as: UTF8.self)
        heading = Self.heading(of: html)
        let tags = Self.tags(of: html)
        action = tags.first { $0.name == "form" }?.attributes["action"] ?? ""
        var hidden = FormParameters()
        let isForm = { (tag: Tag) in tag.name == "form" }
        // "Not you?" has a form of its own.
        let firstForm = tags.drop { !isForm($0) }.dropFirst().prefix { !isForm($0) }
        for tag in firstForm where tag.name == "input" && tag.attributes["type"] == "hidden" {
            hidden.append(tag.attributes["name"] ?? "", tag.attributes["value"] ?? "")
        }
        self.hidden = hidden
        asksForPassword = tags.contains { $0.name == "input" && $0.attributes["type"] == "password" }
        asksForDecision = tags.contains { $0.name == "button" && $0.attributes["name"] == "decision" }
    }

    private struct Tag {
        let name: String
        let attributes: [String: String]
    }

    /// The start tags.
    ///
    /// Our pages escape `>` in text and attributes, so the first `>` ends a tag.
    private static func tags(of html: String) -> [Tag] {
        html.split(separator: "<").compactMap { piece in
            let tag = piece.prefix { $0 != ">" }
            let name = tag.prefix { $0 != " " }
            guard name.first?.isLetter == true else { return nil }
            // name="value" name="value": names and values alternate between the quotation marks.
            let parts = tag.dropFirst(name.count).split(separator: "\"", omittingEmptySubsequences: false)
            var attributes: [String: String] = [:]
            for index in stride(from: 0, to: parts.count - 1, by: 2) {
                let words = parts[index].split(separator: " ")
                guard let last = words.last, last.hasSuffix("=") else { continue }
                attributes[String(last.dropLast())] = text(parts[index + 1])
            }
            return Tag(name: String(name), attributes: attributes)
        }
    }

    private static func heading(of html: String) -> String {
        guard let start = html.firstRange(of: "<h1>"), let end = html[start.upperBound...].firstRange(of: "</h1>")
        else {
            return ""
        }
        // The text before the first tag, and after the end of each further tag.
        let pieces = html[start.upperBound..<end.lowerBound].split(separator: "<", omittingEmptySubsequences: false)
        return pieces.enumerated().map { number, piece in
            number == 0 ? text(piece) : text(piece.drop { $0 != ">" }.dropFirst())
        }.joined()
    }

    private static func text(_ html: Substring) -> String {
        let references = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        return references.reduce(String(html)) { $0.replacing($1.0, with: $1.1) }
    }
}
