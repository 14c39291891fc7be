// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc
import Synchronization
import TestSupport

/// A Redis of a test, on a Unix socket, which ends with the test process.
public final class RedisServer: Sendable {
    /// What is missing, or did not work.
    public struct Failure: Error, CustomStringConvertible {
        /// One sentence.
        public let description: String
    }

    /// Its socket.
    public let path: String
    private let directory: String
    private let options: [String]
    private let supervisor = Mutex<ChildProcess?>(nil)

    /// Starts a Redis, and waits until it answers.
    ///
    /// - Parameter options: Options of `redis-server`, such as `--requirepass`; by default it needs no password, keeps
    ///   nothing on disk and evicts nothing.
    /// - Throws: ``Failure`` if Redis is not installed (`scripts/bootstrap test`), or does not answer.
    public init(_ options: [String] = []) async throws {
        let base = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        directory = base + "/keybound-redis-" + UUID().uuidString.prefix(8)
        path = directory + "/redis.sock"
        self.options = options
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try await start()
    }

    /// Starts it again after ``kill()``.
    ///
    /// - Throws: ``Failure``.
    public func start() async throws {
        let words =
            ["--port", "0", "--unixsocket", path, "--dir", directory, "--save", "", "--appendonly", "no"] + options
        // The supervisor ends the server with the test process, however that ends. It asks for its jobs: a server that
        // has ended may have left its number to another process. The number is written down before there is a server:
        // once it answers, it can be ended.
        let script = """
            (echo $BASHPID >"\(directory)/pid"; exec /usr/bin/redis-server "$@") &
            server=$!
            while kill -0 \(getpid()) 2>/dev/null && [ -n "$(jobs -pr)" ]; do sleep 0.3; done
            [ -z "$(jobs -pr)" ] || kill -KILL $server 2>/dev/null; wait $server
            rm -f "\(directory)/pid"
            kill -0 \(getpid()) 2>/dev/null || rm -rf \(directory)
            """
        let child = try ChildProcess(
            "/bin/bash",
            ["-c", script, "bash"] + words,
            environment: Self.environment,
            directory: "/"
        )
        supervisor.withLock { $0 = child }
        for _ in 0..<400 {
            let answer = try await command("PING")
            if answer == "PONG" || answer.hasPrefix("NOAUTH") { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw Failure(description: "Redis does not answer; scripts/bootstrap test installs it: \(child.outputSoFar)")
    }

    /// Sends a command past the store, with `redis-cli`.
    ///
    /// - Parameter words: The command and its arguments.
    /// - Returns: What it answered, without the last end of line; errors too.
    /// - Throws: If `redis-cli` cannot be started.
    @discardableResult
    public func command(_ words: String...) async throws -> String {
        try await command(words)
    }

    /// Sends a command past the store, with `redis-cli`.
    ///
    /// - Parameter words: The command and its arguments.
    /// - Returns: What it answered, without the last end of line; errors too.
    /// - Throws: If `redis-cli` cannot be started.
    @discardableResult
    public func command(_ words: [String]) async throws -> String {
        let result = try await ChildProcess(
            "/usr/bin/redis-cli",
            ["-s", path] + words,
            environment: Self.environment,
            directory: "/"
        ).result()
        return result.output.trimmingCharacters(in: .newlines)
    }

    /// Watches the commands that it gets from now on.
    ///
    /// - Returns: The watcher.
    /// - Throws: ``Failure`` if it does not begin.
    public func monitor() async throws -> RedisMonitor {
        let child = try ChildProcess(
            "/usr/bin/redis-cli",
            ["-s", path, "MONITOR"],
            environment: Self.environment,
            directory: "/"
        )
        let monitor = RedisMonitor(child)
        guard try await monitor.wait(for: 1) else { throw Failure(description: "Redis shows no commands") }
        return monitor
    }

    /// Ends it at once, as a crash does.
    public func kill() async {
        signal(SIGKILL)
        let ended = supervisor.withLock { supervisor in
            defer { supervisor = nil }
            return supervisor
        }
        _ = await ended?.result()
    }

    /// Stops it, as a machine that hangs does: its sockets stay open.
    public func pause() {
        signal(SIGSTOP)
    }

    /// Lets it go on.
    public func resume() {
        signal(SIGCONT)
    }

    /// Ends it and removes its files.
    public func remove() async {
        await kill()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func signal(_ number: Int32) {
        let text = (try? String(contentsOfFile: directory + "/pid", encoding: .utf8)) ?? ""
        guard let processID = pid_t(text.trimmingCharacters(in: .newlines)), processID > 1 else { return }
        Glibc.kill(processID, number)
    }

    private static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"]
}
#endif
