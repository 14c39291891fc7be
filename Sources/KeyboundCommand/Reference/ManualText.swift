// SPDX-License-Identifier: Apache-2.0

/// The text of a manual page in the mdoc language.
struct ManualText {
    private(set) var text: String

    init(title: String, section: Int) {
        text = ".\\\" Written by keybound manual.\n.Dd \(Version.date)\n.Dt \(title) \(section)\n.Os\n"
    }

    /// The section that `apropos` reads.
    mutating func name(_ name: String, _ summary: String) {
        text += ".Sh NAME\n.Nm \(name)\n.Nd \(Self.escaped(summary))\n"
    }

    /// A macro with arguments, of which each is one word on the page.
    mutating func macro(_ name: String, _ arguments: String...) {
        text += ".\(name) \(arguments.map(Self.quoted).joined(separator: " "))\n"
    }

    mutating func paragraphs(_ paragraphs: [String]) {
        for paragraph in paragraphs {
            // A paragraph mark right after a heading means nothing.
            if !isAfterHeading { text += ".Pp\n" }
            text += Self.sentences(paragraph)
        }
    }

    private var isAfterHeading: Bool {
        let last = text.dropLast().reversed().prefix { $0 != "\n" }.reversed()
        return last.starts(with: ".Sh ") || last.starts(with: ".Ss ")
    }

    /// A list of tags, which are macro calls, with their meanings.
    mutating func list(_ rows: [(tag: String, meaning: String)]) {
        text += ".Bl -tag -width Ds\n"
        for row in rows { text += ".It \(row.tag)\n\(Self.sentences(row.meaning))" }
        text += ".El\n"
    }

    /// Lines that are printed as they are.
    mutating func literal(_ lines: String) {
        text += ".Bd -literal -offset indent\n"
        for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
            text += Self.escaped(String(line)) + "\n"
        }
        text += ".Ed\n"
    }

    /// Other pages, each as a name and a section.
    mutating func references(_ pages: [String]) {
        text += pages.map { ".Xr \($0)" }.joined(separator: " ,\n") + "\n"
    }

    /// An argument of a macro that counts as one word, whatever is in it.
    static func quoted(_ argument: String) -> String {
        let text = escaped(argument)
        guard text.contains(" ") || text.contains("\"") else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// Text with a line for each sentence, as the language wants it to set the space between them.
    private static func sentences(_ text: String) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.hasSuffix(".") || last.hasSuffix("?") {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] += (last.isEmpty ? "" : " ") + word
            }
        }
        return lines.map { escaped($0) + "\n" }.joined()
    }

    /// Text without what the language would take for its own: backslashes, and a point or an apostrophe at the start.
    static func escaped(_ text: String) -> String {
        let plain = text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\e")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}
