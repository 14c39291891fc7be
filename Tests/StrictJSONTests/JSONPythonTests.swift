// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import StrictJSON
import TestSupport
import Testing

/// Both ways: what Python's reader takes and none of our documented limits refuses, ours takes and means the same; all
/// else it refuses.
@Suite("RFC 8259: generated texts, compared with Python", .computesForLong)
struct JSONPythonTests {
    /// Says `bad`, or why ``JSONValue`` refuses what Python reads, or what was read.
    private static let reader = #"""
        import json, math

        class Refused(Exception): pass

        def number(text):
            if len(text) > 32: raise Refused("number length")
            if math.isinf(float(text)): raise Refused("number range")
            return "N" + text

        def constant(text): raise ValueError(text)

        def pairs(members):
            if len({name for name, _ in members}) < len(members): raise Refused("duplicate")
            return dict(members)

        def show(value, depth=0):
            if value is None: return "null"
            if value is True or value is False: return str(value)
            if isinstance(value, str):
                # What was a number is marked by the tuple around it.
                try: return "S" + value.encode("utf-8").hex()
                except UnicodeEncodeError: raise Refused("surrogate")
            if isinstance(value, tuple): return value[0]
            if depth == 16: raise Refused("depth")
            if isinstance(value, list): return "[" + ",".join(show(each, depth + 1) for each in value) + "]"
            return "{" + ",".join(show(name) + ":" + show(each, depth + 1) for name, each in value.items()) + "}"

        def answer(data):
            try:
                value = json.loads(
                    data.decode("utf-8"), object_pairs_hook=pairs, parse_constant=constant,
                    parse_int=lambda text: (number(text),), parse_float=lambda text: (number(text),))
                return show(value)
            except Refused as reason: return "refused: " + str(reason)
            except RecursionError: return "refused: depth"
            except ValueError: return "bad"
        """#

    @Test func `both readers take the same texts, but for the documented reasons`() async throws {
        var generator = JSONTextGenerator(seed: 8259)
        let texts = (0..<5000).map { _ in generator.next() }
        let answers = try await PythonProgram.answers(to: texts, Self.reader)
        var reasons: [String: Int] = [:]
        for (text, answer) in zip(texts, answers) {
            let isRejected = answer == "bad" || answer.hasPrefix("refused: ")
            let shown = (try? JSONValue(parsing: text))?.shown
            if shown != (isRejected ? nil : answer) {
                Issue.record("\(shown ?? "refused"), and Python: \(answer): \(String(decoding: text, as: UTF8.self))")
            }
            reasons[isRejected ? answer : "read", default: 0] += 1
        }
        // Each reason occurred, and so was tried.
        for reason in ["duplicate", "depth", "surrogate", "number length", "number range"] {
            #expect(reasons["refused: \(reason)", default: 0] > 10, "\(reason)")
        }
        #expect(reasons["read", default: 0] > 500)
        #expect(reasons["bad", default: 0] > 500)
    }

    @Test func `a text over the limit of its size is the one that only we refuse`() throws {
        for count in [65_536, 65_537] {
            let text = Array(("\"" + String(repeating: "a", count: count - 2) + "\"").utf8)
            #expect(((try? JSONValue(parsing: text)) != nil) == (count == 65_536))
        }
        #expect(errorCode { try JSONValue(parsing: [0xEF, 0xBB, 0xBF] + Array("1".utf8)) } == .malformedJSON)
    }
}

extension JSONValue {
    /// The value as the program shows it.
    fileprivate var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "True" : "False"
        case .number(let number): "N" + number.literal
        case .string(let text): Self.shown(text)
        case .array(let values): "[" + values.map(\.shown).joined(separator: ",") + "]"
        case .object(let object):
            "{" + object.members.map { Self.shown($0.name) + ":" + $0.value.shown }.joined(separator: ",") + "}"
        }
    }

    private static func shown(_ text: String) -> String {
        "S" + PythonProgram.hex(text.utf8)
    }
}

/// JSON texts with everything in them that readers disagree about, a third of them damaged.
private struct JSONTextGenerator {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> [UInt8] {
        let isDeep = Int.random(in: 0..<20, using: &generator) == 0
        let depth = isDeep ? Int.random(in: 14...18, using: &generator) : 0
        let isArray = Bool.random(using: &generator)
        let open = isArray ? "[" : #"{"a":"#
        let inside = value(depth: 3)
        var text = Array(
            (space() + String(repeating: open, count: depth) + inside
                + String(repeating: isArray ? "]" : "}", count: depth) + space()).utf8
        )
        guard Int.random(in: 0..<3, using: &generator) == 0 else { return text }
        let index = Int.random(in: 0...text.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0 where index < text.count: text[index] = UInt8.random(in: 0...255, using: &generator)
        case 1 where index < text.count: text.remove(at: index)
        case 2: text.insert(contentsOf: (Self.debris.randomElement(using: &generator) ?? "").utf8, at: index)
        default: text.removeSubrange(index...)
        }
        return text
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0: return pick(["null", "true", "false"], rarely: ["NaN", "Infinity", "True", "nul"])
        case 1, 2: return number()
        case 3, 4: return string()
        case 5:
            let values = (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth - 1) }
            return "[" + space() + values.joined(separator: "," + space()) + "]"
        default:
            let members = (0..<Int.random(in: 0...30, using: &generator)).map { number in
                let name: String =
                    switch Int.random(in: 0..<60, using: &generator) {
                    case 0: string()
                    // The digit 5: the name of the sixth member in another spelling.
                    case 1: #""\u0035""#
                    default: #""\#(number)""#
                    }
                return name + space() + ":" + value(depth: depth - 2)
            }
            return "{" + members.joined(separator: space() + ",") + "}"
        }
    }

    private mutating func number() -> String {
        pick(["", "", "-"], rarely: ["+"])
            + pick(["0", "7", "10", "9007199254740993"], rarely: ["01", "123456789012345678901234567890", ".5", ""])
            + pick(["", "", ".0", ".25"], rarely: [".", ".00000000000000000001"])
            + pick(["", "", "", "e5", "E-7", "e+0", "e308", "E+05"], rarely: ["e", "e-400", "e400"])
    }

    private mutating func string() -> String {
        let parts = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            pick(
                [
                    "a", "b", "\\u0061", "\\u00e4", "\u{E4}", "\\ud83d\\ude00", "\u{1F600}", "\\n", "\\/", "\\\"",
                    "\\\\",
                    "\u{7F}", "\u{2028}", "K", "\u{212A}", "\\u0000",
                ],
                rarely: ["\\ud83d", "\\ude00", "\\u12", "\\x", "\n", "\u{0}"]
            )
        }
        return "\"" + parts.joined() + "\""
    }

    private mutating func space() -> String {
        pick(["", "", "", " ", "\n", "\t", "\r", " \n"], rarely: ["\u{A0}", "\u{C}"])
    }

    /// One of the first texts, and now and then one of the second: an object of thirty members must have a chance to be read.
    private mutating func pick(_ texts: [String], rarely others: [String]) -> String {
        let isRare = Int.random(in: 0..<50, using: &generator) == 0
        return (isRare ? others : texts).randomElement(using: &generator) ?? ""
    }

    private static let debris = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "0", "-", ".", "e", "//", "/**/", "'", "\u{FEFF}", "\u{FFFD}", ",]",
        ",}",
    ]
}
#endif
