// SPDX-License-Identifier: Apache-2.0

/// Reads the arguments of one command, as getopt does: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-ab`, and
/// operands anywhere; everything after `--` is an operand, and `-` is one too.
struct ArgumentParser {
    private let syntax: CommandSyntax
    private var remaining: ArraySlice<String>
    private var parsed: ParsedArguments

    static func parse(_ words: [String], for syntax: CommandSyntax) throws -> ParsedArguments {
        var parser = ArgumentParser(syntax, words)
        return try parser.parse()
    }

    private init(_ syntax: CommandSyntax, _ words: [String]) {
        self.syntax = syntax
        remaining = words[...]
        parsed = ParsedArguments(syntax)
    }

    private mutating func parse() throws -> ParsedArguments {
        while let word = remaining.popFirst() {
            if word == "--" {
                for operand in remaining { try take(operand: operand) }
                break
            } else if word.hasPrefix("--") {
                try takeLong(word)
            } else if word.hasPrefix("-"), word != "-" {
                try takeLetters(word.dropFirst())
            } else {
                try take(operand: word)
            }
        }
        if !parsed.has(.help) { try requireOperands() }
        return parsed
    }

    private mutating func takeLong(_ word: String) throws {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = syntax.options.first(where: { $0.name == parts[0] }) else {
            throw unknown(parts[0])
        }
        if parts.count == 2 {
            guard option.placeholder != nil else { throw usage("\(option.name) takes no value") }
            try take(option, parts[1])
        } else {
            try take(option, try value(of: option, spelled: option.name))
        }
    }

    private mutating func takeLetters(_ word: Substring) throws {
        var letters = word
        while let letter = letters.popFirst() {
            guard let option = syntax.options.first(where: { $0.letter == letter }) else {
                throw unknown("-\(letter)")
            }
            if option.placeholder != nil, !letters.isEmpty {
                try take(option, String(letters))
                return
            }
            try take(option, try value(of: option, spelled: "-\(letter)"))
        }
    }

    /// The value that follows an option; empty for an option without one.
    private mutating func value(of option: Option, spelled: String) throws -> String {
        guard let placeholder = option.placeholder else { return "" }
        // An option in place of a value means that the value was forgotten.
        guard let value = remaining.first, value == "--" || !value.hasPrefix("--") else {
            throw usage("\(spelled) needs a value: \(spelled) \(placeholder)")
        }
        remaining.removeFirst()
        return value
    }

    private mutating func take(_ option: Option, _ value: String) throws {
        guard option.isRepeatable || !parsed.has(option) || option.placeholder == nil else {
            throw usage("\(option.name) is given twice")
        }
        parsed.add(option, value)
    }

    private mutating func take(operand: String) throws {
        guard parsed.operands.count < syntax.operands.count else {
            // The operand may be a secret: it is not repeated.
            throw usage("this command takes \(Self.quantity(syntax.operands.count))")
        }
        parsed.add(operand: operand)
    }

    private static func quantity(_ count: Int) -> String {
        switch count {
        case 0: "no operands"
        case 1: "one operand"
        default: "at most \(count) operands"
        }
    }

    private func requireOperands() throws {
        let missing = syntax.operands.dropFirst(parsed.operands.count).first { !$0.isOptional }
        if let missing { throw usage("\(missing.name) is missing") }
    }

    private func unknown(_ name: String) -> CommandFailure {
        guard let nearest = NearestWord.to(name, among: syntax.options.map(\.name)) else {
            // What does not look like an option may be a secret that begins with a hyphen: it is not repeated.
            return usage("\(Self.resemblesOption(name) ? name : "this word") is not an option of \(syntax.name)")
        }
        return CommandFailure.usage("\(name) is not an option of \(syntax.name)", hint: "did you mean \(nearest)?")
    }

    /// Whether a word is made as the names of options are: of a few small letters and hyphens.
    private static func resemblesOption(_ word: String) -> Bool {
        word.utf8.count <= 32
            && word.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "-") }
    }

    private func usage(_ message: String) -> CommandFailure {
        CommandFailure(.usage, message, hints: ["usage: \(syntax.usage)", "see \(syntax.name) --help"])
    }
}
