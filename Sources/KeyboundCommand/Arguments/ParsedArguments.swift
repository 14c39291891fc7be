// SPDX-License-Identifier: Apache-2.0

/// The arguments of a command.
struct ParsedArguments: Sendable {
    let syntax: CommandSyntax
    private var given: [String: [String]] = [:]
    private(set) var operands: [String] = []

    init(_ syntax: CommandSyntax) {
        self.syntax = syntax
    }

    mutating func add(_ option: Option, _ value: String) {
        given[option.name, default: []].append(value)
    }

    mutating func add(operand: String) {
        operands.append(operand)
    }

    func has(_ option: Option) -> Bool {
        given[option.name] != nil
    }

    /// The value of an option; `nil` when it was not given.
    func value(_ option: Option) -> String? {
        given[option.name]?.last
    }

    /// All values of an option that may be repeated.
    func values(_ option: Option) -> [String] {
        given[option.name] ?? []
    }

    /// The value of a mandatory option.
    func required(_ option: Option) throws -> String {
        guard let value = value(option) else {
            throw CommandFailure.usage("\(option.name) is missing", hint: "usage: \(syntax.usage)")
        }
        return value
    }

    /// An operand by its position; `nil` if it was omitted.
    func operand(_ index: Int) -> String? {
        index < operands.count ? operands[index] : nil
    }

    /// An operand that the parser has required.
    func requiredOperand(_ index: Int) throws -> String {
        guard let operand = operand(index) else {
            throw CommandFailure.usage("\(syntax.operands[index].name) is missing", hint: "usage: \(syntax.usage)")
        }
        return operand
    }

    /// An operand that is one of the words of a type.
    ///
    /// - Parameters:
    ///   - index: Its position.
    ///   - kind: What the words name, for the message: `a shell`.
    /// - Returns: The word.
    /// - Throws: ``CommandFailure`` with ``ExitCode/usage``, and the words that there are.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ index: Int, _ kind: String) throws -> Word {
        let name = try requiredOperand(index)
        guard let word = Word(rawValue: name) else {
            throw CommandFailure.usage(
                "\(SafeText.of(name)) is not \(kind) that the command knows",
                hint: "write \(Word.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return word
    }

    /// Rejects options that exclude each other.
    func requireAtMostOne(of options: [Option]) throws {
        let present = options.filter(has)
        guard present.count <= 1 else {
            let names = present.map(\.name).joined(separator: " and ")
            throw CommandFailure.usage("\(names) exclude each other", hint: "give one of them")
        }
    }
}
