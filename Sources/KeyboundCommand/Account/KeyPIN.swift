// SPDX-License-Identifier: Apache-2.0

/// The PIN of a token: read once, when the token needs it.
///
/// A wrong PIN is never retried.
enum KeyPIN {
    static let file = Option.value(
        "--pin-file",
        "FILE",
        "a file with the PIN of the token on a single line; pin-source in its URI takes precedence"
    )
    static let descriptor = Option.value(
        "--pin-fd",
        "N",
        "an open file descriptor from which to read the PIN of the "
            + "token"
    )
    static let options = [file, descriptor]

    /// The longest PIN that a token may have.
    private static let maximumCount = 255

    /// Reads the PIN as the options say, or else prompts at the terminal.
    static func source(_ arguments: ParsedArguments) throws -> @Sendable () throws -> [UInt8] {
        try arguments.requireAtMostOne(of: options)
        return { try read(arguments) }
    }

    private static func read(_ arguments: ParsedArguments) throws -> [UInt8] {
        let secret = SecretSource(file: file, descriptor: descriptor, name: "PIN")
        let pin: String
        do {
            pin = try secret.text(arguments, question: "PIN of the token", isNew: false)
        } catch let failure as CommandFailure where failure.exitCode != .interrupted {
            throw CommandFailure(.keyLocked, failure.message, hints: failure.hints)
        }
        guard (1...maximumCount).contains(pin.utf8.count) else {
            throw CommandFailure(
                .keyLocked,
                "the PIN is empty or too long",
                hint: "a PIN has 1 to \(maximumCount) bytes"
            )
        }
        return Array(pin.utf8)
    }
}
