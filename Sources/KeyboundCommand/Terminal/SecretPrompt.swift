// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Prompts for a secret at the terminal, without echo.
///
/// It uses the terminal directly, so that standard input and output can be pipes.
struct SecretPrompt: ~Copyable {
    private static let isForbidden = Atomic<Bool>(false)

    private let descriptor: CInt

    /// From now on nobody is asked, as if there were no terminal: the one of this process belongs to another program.
    static func forbid() {
        isForbidden.store(true, ordering: .relaxed)
    }

    /// Whether somebody may be asked.
    static var mayAsk: Bool { !isForbidden.load(ordering: .relaxed) }

    /// Opens the terminal; `nil` when the process has none.
    init?() {
        descriptor = !Self.mayAsk ? -1 : unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        if descriptor < 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Prompts once.
    ///
    /// - Parameter question: What to type, without a colon.
    /// - Returns: What was typed, which may be empty.
    /// - Throws: ``CommandFailure`` with ``ExitCode/interrupted`` after Ctrl-C, or when the terminal went away.
    func ask(_ question: String) throws -> String {
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else {
            throw SystemFailure.failure("cannot use the terminal")
        }
        var silent = settings
        // Ctrl-C arrives as a character, so that the terminal is restored before the process ends.
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else {
            throw SystemFailure.failure("cannot use the terminal")
        }
        // Only now: a user who types as soon as the prompt appears sees no letter, and loses none.
        show("\(question): ")
        defer {
            _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
            show("\n")
        }
        return try readLine()
    }

    /// Prompts once, for something that is no secret: what is typed is shown, and Ctrl-C ends the process as usual.
    ///
    /// - Parameter question: What to type, without a colon.
    /// - Returns: What was typed, which may be empty.
    /// - Throws: ``CommandFailure`` with ``ExitCode/interrupted`` when the terminal went away.
    func askShown(_ question: String) throws -> String {
        show("\(question): ")
        return try readLine()
    }

    /// Shows a line.
    ///
    /// - Parameter line: The line; pass untrusted text through ``SafeText`` first.
    func say(_ line: String) {
        show(line + "\n")
    }

    private func show(_ text: String) {
        try? OutputFile.write(Array(text.utf8), to: descriptor, named: "the terminal")
    }

    private func readLine() throws -> String {
        var line: [UInt8] = []
        // Reserved up front: a growing array would leave copies of the secret in freed memory.
        line.reserveCapacity(4096)
        defer { SecretMemory.wipe(&line) }
        while true {
            var byte: UInt8 = 0
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != Key.interrupt, byte != Key.quit else {
                throw CommandFailure(.interrupted, "interrupted")
            }
            switch byte {
            case Key.return, Key.newline, Key.endOfInput:
                guard let text = String(validating: line, as: UTF8.self) else {
                    throw CommandFailure(.failure, "the input is not UTF-8 text")
                }
                return text
            case Key.backspace, Key.delete:
                // A character is one byte that is not a continuation byte, and the continuation bytes after it.
                while let last = line.popLast(), last & 0xC0 == 0x80 {}
            case Key.eraseLine: line.removeAll(keepingCapacity: true)
            default: line.append(byte)
            }
        }
    }

    private enum Key {
        static let interrupt: UInt8 = 0x03
        static let endOfInput: UInt8 = 0x04
        static let backspace: UInt8 = 0x08
        static let newline: UInt8 = 0x0A
        static let `return`: UInt8 = 0x0D
        static let eraseLine: UInt8 = 0x15
        static let quit: UInt8 = 0x1C
        static let delete: UInt8 = 0x7F
    }
}
