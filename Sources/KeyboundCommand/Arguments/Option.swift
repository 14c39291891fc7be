// SPDX-License-Identifier: Apache-2.0

/// One option of a command: parser, help and reference all use this declaration.
struct Option: Sendable, Hashable {
    /// The long name with its two hyphens.
    let name: String
    /// The one-letter form.
    let letter: Character?
    /// The placeholder of the value in the help; `nil` for an option without a value.
    let placeholder: String?
    /// Whether it may be given more than once.
    let isRepeatable: Bool
    /// What it does: a sentence without a capital and without a full stop.
    let purpose: String
    /// What counts without it, in a few words; `nil` if that needs no words.
    let standard: String?
    /// What a shell offers as its value.
    let completion: Completion

    static func flag(_ name: String, letter: Character? = nil, _ help: String) -> Option {
        Option(
            name: name,
            letter: letter,
            placeholder: nil,
            isRepeatable: false,
            purpose: help,
            standard: nil,
            completion: .none
        )
    }

    static func value(
        _ name: String,
        letter: Character? = nil,
        _ placeholder: String,
        _ help: String,
        default standard: String? = nil,
        choices: [String] = [],
        isRepeatable: Bool = false
    ) -> Option {
        Option(
            name: name,
            letter: letter,
            placeholder: placeholder,
            isRepeatable: isRepeatable,
            purpose: help,
            standard: standard,
            completion: Completion(placeholder, choices)
        )
    }

    static func list(
        _ name: String,
        letter: Character? = nil,
        _ placeholder: String,
        _ help: String,
        default standard: String? = nil
    ) -> Option {
        value(name, letter: letter, placeholder, help, default: standard, isRepeatable: true)
    }

    /// What the help says of it.
    var help: String { standard.map { "\(purpose) (default: \($0))" } ?? purpose }

    /// Its long name, and its one-letter form if it has one.
    var names: [String] { [name] + (letter.map { ["-\($0)"] } ?? []) }

    /// The same option of a command that changes what exists already: without it nothing changes, so it has no default.
    var withoutDefault: Option {
        Option(
            name: name,
            letter: letter,
            placeholder: placeholder,
            isRepeatable: isRepeatable,
            purpose: purpose,
            standard: nil,
            completion: completion
        )
    }

    /// The option as it is typed: `-H, --header FIELD`.
    var usage: String {
        let short = letter.map { "-\($0), " } ?? ""
        return short + name + (placeholder.map { " " + $0 } ?? "")
    }
}

extension Option {
    /// Every command takes it.
    static let help = Option.flag("--help", letter: "h", "show this help")
    /// Every command takes it.
    static let quiet = Option.flag("--quiet", letter: "q", "print results and errors only")
    static let json = Option.flag("--json", "print the result as JSON")
}
