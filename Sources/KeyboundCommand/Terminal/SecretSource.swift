// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// Reads a secret, which must not be an argument, from a file, from a file descriptor, or at the terminal.
struct SecretSource {
    /// The options that name a file and a descriptor.
    let file: Option
    let descriptor: Option
    /// The name of the secret, such as `password`.
    let name: String

    /// The bytes of the file or descriptor that was named; `nil` when neither was.
    func bytes(_ arguments: ParsedArguments, limit: Int = 65_536) throws -> [UInt8]? {
        try arguments.requireAtMostOne(of: [file, descriptor])
        if let path = arguments.value(file) { return try InputFile.secret(path, limit: limit) }
        guard let text = arguments.value(descriptor) else { return nil }
        return try Self.read(descriptor: text, named: descriptor.name, limit: limit)
    }

    /// Reads a descriptor that is named by its number.
    static func read(descriptor text: String, named name: String, limit: Int = 65_536) throws -> [UInt8] {
        let number = try InheritedDescriptor.number(text, named: name)
        return try InputFile.read(descriptor: number, named: "file descriptor \(number)", limit: limit)
    }

    /// The one line that a file or descriptor has, without the line break at its end.
    ///
    /// - Parameters:
    ///   - bytes: What was read.
    ///   - name: The name of the secret, for the message.
    /// - Returns: The line, which may be empty.
    /// - Throws: ``CommandFailure`` for what is not UTF-8, has more lines, or begins with a byte order mark.
    static func line(_ bytes: [UInt8], named name: String) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self)?.droppingLineBreak else {
            throw CommandFailure(.failure, "the \(name) is not UTF-8 text")
        }
        // Nobody can type what an editor left there unseen.
        guard !text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
            throw CommandFailure(.failure, "the \(name) has more than one line")
        }
        guard !text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw CommandFailure(
                .failure,
                "the \(name) begins with a byte order mark",
                hint: "save the file without it"
            )
        }
        return text
    }

    /// A text of one line from the file or descriptor; if neither was named, prompts at the terminal, twice for a new
    /// secret.
    func text(_ arguments: ParsedArguments, question: String, isNew: Bool) throws -> String {
        if let bytes = try bytes(arguments) { return try Self.line(bytes, named: name) }
        guard let prompt = SecretPrompt() else {
            throw CommandFailure.usage(
                "there is no terminal to ask for the \(name)",
                hint: "\(file.name) FILE reads it from a file, \(file.name) - from standard input"
            )
        }
        let text = try prompt.ask(question)
        guard isNew else { return text }
        guard try prompt.ask("\(question) again").isIdenticalInConstantTime(to: text) else {
            throw CommandFailure(.failure, "the two inputs differ; nothing was changed")
        }
        return text
    }
}
