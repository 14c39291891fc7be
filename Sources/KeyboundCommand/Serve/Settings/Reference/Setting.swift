// SPDX-License-Identifier: Apache-2.0

/// One setting of the server: given in the configuration file, in the environment, or as an option.
struct Setting: Sendable, Hashable {
    /// What a value looks like in the configuration file.
    enum Kind: Sendable, Hashable {
        case text
        /// A file or a folder: one in a configuration file that does not begin with `/` is in the folder of that file; or
        /// one of these words.
        case path(or: [String] = [])
        case number
        case flag
        /// A text such as `5m`, or a number of seconds.
        case duration
        /// An object of scopes, each with a description or `null`.
        case scopes
        /// Several texts.
        case list
        /// An object of names, each with an object that describes what it names.
        case descriptions
        /// An object of names, each with several texts.
        case lists

        /// The JSON type, for the reference.
        var description: String {
            switch self {
            case .text, .path: "string"
            case .number: "number"
            case .flag: "true or false"
            case .duration: "string such as \"5m\", or seconds"
            case .scopes: "object"
            case .list: "array of strings"
            case .descriptions: "object of objects"
            case .lists: "object of arrays of strings"
            }
        }

        /// The JSON type with its article, for messages.
        var demand: String {
            switch self {
            case .flag: description
            case .scopes, .list, .descriptions, .lists: "an \(description)"
            case .text, .path, .number, .duration: "a \(description)"
            }
        }
    }

    /// The key in the configuration file, with a dot for a member of an object.
    let key: String
    let kind: Kind
    /// The option of `keybound serve`.
    let option: Option
    /// The default, in words.
    let standard: String

    init(
        _ key: String,
        _ kind: Kind,
        option name: String,
        _ placeholder: String? = nil,
        standard: String,
        _ help: String,
        choices: [String] = []
    ) {
        self.key = key
        self.kind = kind
        self.standard = standard
        option =
            if let placeholder {
                [.scopes, .list, .descriptions, .lists].contains(kind)
                    ? .list(name, placeholder, help) : .value(name, placeholder, help, choices: choices)
            } else {
                .flag(name, help)
            }
    }

    /// The environment variable: `--nonce-policy` is `KEYBOUND_NONCE_POLICY`.
    var variable: String {
        "KEYBOUND_" + option.name.dropFirst(2).uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
