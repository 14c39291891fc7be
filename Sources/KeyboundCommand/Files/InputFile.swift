// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import OAuthSystem

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads the input of a command: a file, standard input (`-`), or an inherited file descriptor.
enum InputFile {
    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - path: The path; `-` is standard input.
    ///   - limit: The maximum size in bytes; longer input is rejected.
    ///   - isSecret: Whether the content is a secret, which a user may have given in place of the path.
    /// - Returns: The bytes.
    /// - Throws: ``CommandFailure`` with ``ExitCode/failure``.
    static func read(_ path: String, limit: Int = 1 << 20, isSecret: Bool = false) throws -> [UInt8] {
        if path == "-" {
            if isatty(0) == 1 { StandardStream.error.write("reading from the terminal, end with Ctrl-D\n") }
            return try read(descriptor: 0, named: "standard input", limit: limit)
        }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(toOpen: path, isSecret: isSecret) }
        defer { close(descriptor) }
        return try read(descriptor: descriptor, named: path, limit: limit)
    }

    /// Reads a file with a secret, to which others must have no access; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: The path; a link is followed. A pipe, as `<(command)` of a shell is one, may be named too.
    ///   - limit: The maximum size in bytes; longer input is rejected.
    /// - Returns: The bytes.
    /// - Throws: ``CommandFailure`` with ``ExitCode/failure``.
    static func secret(_ path: String, limit: Int = 65_536) throws -> [UInt8] {
        guard path != "-" else { return try read(path, limit: limit) }
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw failure(toOpen: path, isSecret: true) }
        let file = FileDescriptor(number, path)
        do {
            try FileAccess.ownerAndReadingGroup.check(try file.status(), path)
        } catch {
            throw failure(error, path, .failure)
        }
        return try read(descriptor: file.number, named: path, limit: limit)
    }

    /// Rejects a file with a secret to which others have access; opens nothing, and a file that is not there is good.
    ///
    /// - Parameter path: The path; `-` is standard input.
    /// - Throws: ``CommandFailure`` with ``ExitCode/keyLocked``.
    static func checkSecret(_ path: String) throws {
        guard !mayBeSecret(path) else { return }
        try check(path, .ownerAndReadingGroup, .keyLocked)
    }

    /// Rejects a file that others may change; opens nothing, and a file that is not there is good.
    ///
    /// - Parameter path: The path; `-` is standard input.
    /// - Throws: ``CommandFailure`` with ``ExitCode/failure``.
    static func checkOwner(_ path: String) throws {
        try check(path, .everybodyReading, .failure)
    }

    private static func check(_ path: String, _ access: FileAccess, _ exitCode: ExitCode) throws {
        guard path != "-" else { return }
        do {
            guard let status = try FileAccess.status(of: path) else { return }
            try access.check(status, path)
        } catch {
            throw failure(error, path, exitCode)
        }
    }

    /// A file of another user needs another user to run the command, not another owner.
    private static func failure(_ error: FileError, _ path: String, _ exitCode: ExitCode) -> CommandFailure {
        guard let hindrance = FileHindrance(path, isPrivate: true) else {
            return CommandFailure(exitCode, error.reason)
        }
        return CommandFailure(exitCode, "cannot use \(path): \(hindrance.reason)", hint: hindrance.remedy)
    }

    /// Why a file cannot be opened: call it right after the failed call.
    ///
    /// The hints name the owner, if that is another user.
    private static func failure(toOpen path: String, isSecret: Bool) -> CommandFailure {
        let failure = SystemFailure.failure("cannot read \(path)", .failure)
        guard isSecret, mayBeSecret(path) else {
            return CommandFailure(failure.exitCode, failure.message, hints: FileHindrance.hints(for: path))
        }
        return hiding("give the path of a file with the secret, or - for standard input")
    }

    /// Rejects a text that may be a secret in place of the path of its file.
    ///
    /// - Parameter text: The text as typed: as an absolute path, it would lead into a directory that exists.
    /// - Throws: ``CommandFailure`` with ``ExitCode/failure``.
    static func requirePath(_ text: String) throws {
        guard !mayBeSecret(text) else { throw hiding("give the path of a file with the secret") }
    }

    private static func hiding(_ hint: String) -> CommandFailure {
        CommandFailure(
            .failure,
            "there is no such file; the name is not shown, because it may be the secret itself",
            hint: hint
        )
    }

    /// Whether a text may be something else than a path: it names no file, and leads into no directory that exists.
    private static func mayBeSecret(_ path: String) -> Bool {
        guard unsafe access(path, F_OK) != 0, [ENOENT, ENOTDIR, ENAMETOOLONG].contains(errno) else { return false }
        let directory = DoctorPaths.parent(of: path)
        guard ![".", "/"].contains(directory) else { return true }
        return unsafe access(directory, F_OK) != 0
    }

    /// Reads a secret of one line from a file, without the line break at its end.
    ///
    /// - Throws: As ``secret(_:limit:)``, and for input that is empty, has more lines, or is not UTF-8.
    static func secretLine(_ path: String, limit: Int = 65_536) throws -> String {
        try line(secret(path, limit: limit), named: path)
    }

    /// Whether a file exists; one that cannot be examined counts as existing.
    static func exists(at path: String) -> Bool {
        unsafe access(path, F_OK) == 0 || errno != ENOENT
    }

    /// Reads a descriptor to its end; if the input is a secret, the result is its only copy.
    static func read(descriptor: CInt, named name: String, limit: Int) throws -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        defer { SecretMemory.wipe(&buffer) }
        // No secret is longer: one that grew would leave a copy in the memory that it had before.
        content.reserveCapacity(min(limit, buffer.count))
        while true {
            let count = readOnce(descriptor, &buffer)
            if count == 0 { return content }
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemFailure.failure("cannot read \(name)", .failure)
            }
            content += buffer.prefix(count)
            guard content.count <= limit else {
                SecretMemory.wipe(&content)
                throw CommandFailure(.failure, "\(name) is longer than \(limit) bytes")
            }
        }
    }

    /// Reads once, as `read` does.
    static func readOnce(_ descriptor: CInt, _ buffer: inout [UInt8]) -> Int {
        unsafe buffer.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            #if canImport(Glibc)
            return unsafe Glibc.read(descriptor, start, buffer.count)
            #else
            return unsafe Darwin.read(descriptor, start, buffer.count)
            #endif
        }
    }

    /// Reads text; rejects input that is not UTF-8.
    static func text(_ path: String, limit: Int = 1 << 20) throws -> String {
        try text(read(path, limit: limit), named: path)
    }

    private static func text(_ bytes: [UInt8], named path: String) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.failure, "\(path == "-" ? "standard input" : path) is not UTF-8 text")
        }
        return text
    }

    /// Reads a text of one line, such as a token, without the line break at its end.
    static func line(_ path: String, limit: Int = 65_536) throws -> String {
        try line(read(path, limit: limit, isSecret: true), named: path)
    }

    private static func line(_ bytes: [UInt8], named path: String) throws -> String {
        let name = path == "-" ? "standard input" : path
        let line = try text(bytes, named: path).droppingLineBreak
        guard !line.isEmpty else { throw CommandFailure(.failure, "\(name) is empty") }
        guard !line.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
            throw CommandFailure(.failure, "\(name) has more than one line")
        }
        return line
    }
}

extension String {
    /// The text without one line break at its end.
    var droppingLineBreak: String {
        var bytes = utf8[...]
        if bytes.last == 0x0A { bytes = bytes.dropLast() }
        if bytes.last == 0x0D { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }
}
