// SPDX-License-Identifier: Apache-2.0

/// A strict reader for the HTML our own pages are made of; far stricter than a browser, and with no repair of mistakes.
struct PageReader {
    struct Element {
        let name: String
        var attributes: [String: String] = [:]
        /// The names of the elements around this one, outermost first.
        let ancestors: [String]
        var text = ""
    }

    struct Malformed: Error {
        let reason: String
    }

    private(set) var elements: [Element] = []
    private var open: [Int] = []
    private var rest: Substring

    private static let void: Set = ["meta", "link", "input", "rect", "path"]

    init(_ html: String) throws {
        rest = html[...]
        guard rest.hasPrefix("<!DOCTYPE html>\n") else { throw Malformed(reason: "no doctype") }
        rest.removeFirst("<!DOCTYPE html>\n".count)
        while !rest.isEmpty { try readNext() }
        guard open.isEmpty else { throw Malformed(reason: "unclosed elements") }
    }

    func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

    func element(withID id: String) -> Element? { elements.first { $0.attributes["id"] == id } }

    func input(named name: String) -> Element? { all("input").first { $0.attributes["name"] == name } }

    var inputsOfFirstForm: [Element] {
        let forms = elements.indices.filter { elements[$0].name == "form" }
        guard let first = forms.first else { return [] }
        return elements[first..<(forms.dropFirst().first ?? elements.endIndex)].filter { $0.name == "input" }
    }

    /// The text of the first element of a name.
    func text(of name: String) -> String? { all(name).first?.text }

    private mutating func readNext() throws {
        guard rest.hasPrefix("<") else {
            let text = rest.prefix { $0 != "<" }
            rest.removeFirst(text.count)
            for index in open { elements[index].text += Self.unescaped(text) }
            return
        }
        rest.removeFirst()
        if rest.hasPrefix("/") {
            rest.removeFirst()
            try close(String(take { $0 != ">" }))
        } else {
            try readStartTag()
        }
    }

    private mutating func close(_ name: String) throws {
        guard let last = open.popLast(), elements[last].name == name else {
            throw Malformed(reason: "</\(name)> closes nothing")
        }
        rest.removeFirst()
    }

    private mutating func readStartTag() throws {
        let name = String(take { $0.isASCII && ($0.isLetter || $0.isNumber) })
        guard !name.isEmpty else { throw Malformed(reason: "bare <") }
        var element = Element(name: name, ancestors: open.map { elements[$0].name })
        while rest.hasPrefix(" ") { try readAttribute(into: &element) }
        let isSelfClosed = rest.hasPrefix("/>")
        if isSelfClosed { rest.removeFirst() }
        guard rest.hasPrefix(">") else { throw Malformed(reason: "junk in <\(name)>") }
        rest.removeFirst()
        elements.append(element)
        if !isSelfClosed, !Self.void.contains(name) { open.append(elements.count - 1) }
    }

    private mutating func readAttribute(into element: inout Element) throws {
        rest.removeFirst()
        let name = String(take { $0.isASCII && ($0.isLetter || $0 == "-") || $0.isNumber })
        guard !name.isEmpty, element.attributes[name] == nil else { throw Malformed(reason: "attribute \(name)") }
        guard rest.hasPrefix("=\"") else {
            element.attributes[name] = ""
            return
        }
        rest.removeFirst(2)
        element.attributes[name] = Self.unescaped(take { $0 != "\"" })
        guard rest.hasPrefix("\"") else { throw Malformed(reason: "unclosed value of \(name)") }
        rest.removeFirst()
    }

    private mutating func take(while condition: (Character) -> Bool) -> Substring {
        let taken = rest.prefix(while: condition)
        rest.removeFirst(taken.count)
        return taken
    }

    private static func unescaped(_ text: Substring) -> String {
        String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&#13;", with: "\r").replacing("&amp;", with: "&")
    }
}
