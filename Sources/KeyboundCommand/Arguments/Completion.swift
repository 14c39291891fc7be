// SPDX-License-Identifier: Apache-2.0

/// What a shell offers for the value of an option or for an operand.
enum Completion: Sendable, Hashable {
    /// Nothing: only the user knows the value.
    case none
    case file
    case directory
    /// One of these.
    case words([String])

    /// The completion of what has a placeholder in the help; `choices` go before what the placeholder says.
    init(_ placeholder: String, _ choices: [String]) {
        self =
            if !choices.isEmpty {
                .words(choices)
            } else {
                switch placeholder {
                case "FILE", "FILE-OR-URL", "DATABASE": .file
                case "DIRECTORY", "FOLDER": .directory
                default: .none
                }
            }
    }
}
