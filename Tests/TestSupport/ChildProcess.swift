// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc
import Synchronization

/// A program that a test runs, with its own environment and directory.
///
/// Not Foundation's `Process`: with very many open descriptors, as during tests, it reads past the end of a buffer.
public final class ChildProcess: Sendable {
    /// The outcome of a program.
    public struct Result: Sendable {
        /// The exit status; 128 plus the number of the signal that ended it.
        public let status: Int32
        /// What it wrote to standard output.
        public let output: String
        /// What it wrote to standard error.
        public let errors: String
    }

    /// A program could not be started.
    public struct CannotStart: Error {
        /// The error number of the system.
        public let number: Int32
    }

    /// Pipes are created and passed on under one lock, so that no other child inherits them.
    private static let spawning = Mutex(())

    /// `nil` once the process has ended: its number may then be that of another.
    private let processID: Mutex<pid_t?>
    private let output: CollectedOutput
    private let errors: CollectedOutput
    private let ending: AsyncStream<Int32>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: The path of the program.
    ///   - arguments: The arguments after its name.
    ///   - environment: Its complete environment.
    ///   - directory: Its working directory.
    ///   - input: The contents of its standard input.
    /// - Throws: ``CannotStart``.
    public init(
        _ executable: String,
        _ arguments: [String],
        environment: [String: String],
        directory: String,
        input: String = ""
    ) throws {
        let pipes = try Self.spawning.withLock { _ in
            let pipes = (input: try Pipe.make(), output: try Pipe.make(), errors: try Pipe.make())
            return (
                pipes,
                try Self.spawn(
                    ["/bin/bash", "-c", Self.preparation, directory, executable] + arguments,
                    environment,
                    [pipes.input.reading, pipes.output.writing, pipes.errors.writing]
                )
            )
        }
        processID = Mutex(pipes.1)
        output = CollectedOutput(pipes.0.output.reading)
        errors = CollectedOutput(pipes.0.errors.reading)
        for descriptor in [pipes.0.input.reading, pipes.0.output.writing, pipes.0.errors.writing] { close(descriptor) }
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        ending = stream
        let (processID, writing) = (pipes.1, pipes.0.input.writing)
        Thread.detachNewThread { [self] in
            Self.write(Array(input.utf8), to: writing)
            continuation.yield(wait(for: processID))
            continuation.finish()
        }
    }

    /// Standard output so far.
    public var outputSoFar: String { output.soFar }
    /// Standard error so far.
    public var errorsSoFar: String { errors.soFar }

    /// Whether standard output is closed.
    public var hasClosedOutput: Bool { output.isWhole }

    /// Whether standard output and standard error are closed, so that no more output comes.
    public var isSilent: Bool { output.isWhole && errors.isWhole }

    /// Sends SIGTERM.
    public func terminate() {
        signal(SIGTERM)
    }

    /// Sends SIGHUP.
    public func hangUp() {
        signal(SIGHUP)
    }

    /// Sends SIGKILL: the program ends without any further action.
    public func kill() {
        signal(SIGKILL)
    }

    private func signal(_ number: Int32) {
        processID.withLock { processID in
            if let processID { _ = Glibc.kill(processID, number) }
        }
    }

    /// Waits for the end; call it once.
    ///
    /// - Returns: The outcome. If what it left behind keeps its output open, only what was written within a minute of
    ///   the end.
    public func result() async -> Result {
        var status: Int32 = -1
        for await value in ending { status = value }
        return Result(status: status, output: await output.whole(), errors: await errors.whole())
    }

    /// Changes to the directory, and closes descriptors that C libraries of this process left open for its children.
    ///
    /// A child that inherited the connection of another test would keep a server waiting. Swift does not import the
    /// calls of the C library for this.
    private static let preparation = """
        cd "$0" && for path in /proc/self/fd/*; do fd=${path##*/}; if ((fd > 2)); then exec {fd}>&-; fi; done; exec "$@"
        """

    private struct Pipe {
        let reading: Int32
        let writing: Int32

        static func make() throws -> Pipe {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { throw CannotStart(number: errno) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return Pipe(reading: ends[0], writing: ends[1])
        }
    }

    private static func spawn(
        _ arguments: [String],
        _ environment: [String: String],
        _ descriptors: [Int32]
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (target, descriptor) in descriptors.enumerated() {
            _ = unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
        }
        let variables = environment.map { "\($0.key)=\($0.value)" }
        var argumentPointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variablePointers = unsafe variables.map { unsafe strdup($0) } + [nil]
        defer {
            for index in unsafe argumentPointers.indices { unsafe free(argumentPointers[index]) }
            for index in unsafe variablePointers.indices { unsafe free(variablePointers[index]) }
        }
        var processID: pid_t = 0
        let result = unsafe posix_spawn(
            &processID,
            arguments[0],
            &actions,
            nil,
            &argumentPointers,
            &variablePointers
        )
        guard result == 0 else { throw CannotStart(number: result) }
        return processID
    }

    /// Writes the program's input; if it does not read, it may have ended, and then the input is dropped.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { break }
        }
        close(descriptor)
    }

    private func wait(for number: pid_t) -> Int32 {
        // Until it is reaped, its number stays its own.
        while waitid(P_PID, id_t(number), nil, WEXITED | WNOWAIT) < 0 {
            guard errno == EINTR else { break }
        }
        var status: Int32 = 0
        let isReaped = processID.withLock { processID in
            processID = nil
            return unsafe waitpid(number, &status, 0) == number
        }
        guard isReaped else { return -1 }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
#endif
