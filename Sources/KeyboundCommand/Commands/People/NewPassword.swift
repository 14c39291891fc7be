// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Reads a new password from the terminal, a file or a descriptor.
enum NewPassword {
    private static let file = Option.value(
        "--password-file",
        "FILE",
        "a file with the password on a single line; - is standard input"
    )
    private static let descriptor = Option.value(
        "--password-fd",
        "N",
        "an open file descriptor from which to read the password"
    )

    static let options = [file, descriptor]

    /// Whether an option says where the password is, so that nobody is asked for it.
    static func isGiven(_ arguments: ParsedArguments) -> Bool {
        options.contains { arguments.has($0) }
    }

    static func read(_ arguments: ParsedArguments, of name: String) throws -> String {
        try SecretSource(file: file, descriptor: descriptor, name: "password")
            .text(arguments, question: "New password of \(SafeText.of(name))", isNew: true)
    }
}
#endif
