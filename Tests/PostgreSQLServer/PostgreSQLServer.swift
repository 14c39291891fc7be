// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Glibc
import Synchronization
import TestSupport

/// A PostgreSQL server of a test, on a Unix socket, which ends with the test process.
///
/// As root it runs as the user `postgres`, since it refuses to run as root.
public final class PostgreSQLServer: Sendable {
    /// What is missing, or did not work.
    public struct Failure: Error, CustomStringConvertible {
        /// One sentence.
        public let description: String
    }

    /// The directory of the socket, whose path is part of each address.
    public let directory: String
    /// The port on 127.0.0.1; `nil` if it listens on its socket only.
    public let port: UInt16?
    private let programs: String
    private let supervisor = Mutex<ChildProcess?>(nil)

    /// Makes a new cluster; ``start()`` starts it.
    ///
    /// - Parameters:
    ///   - name: The name in its certificate. With it the server also listens on ``port``, with TLS and passwords only.
    ///   - authority: Who issues the certificate.
    /// - Throws: ``Failure`` if PostgreSQL is not installed (`scripts/bootstrap test`), or it cannot be set up.
    public convenience init(named name: String, by authority: CertificateAuthority) async throws {
        try await self.init(port: FreePort.next())
        let (certificate, key) = try await authority.issue(for: name)
        try FileManager.default.copyItem(atPath: certificate, toPath: directory + "/server.pem")
        try FileManager.default.copyItem(atPath: key, toPath: directory + "/server.key")
        let rules = """
            local all all trust
            hostssl all all 127.0.0.1/32 scram-sha-256

            """
        try rules.write(toFile: directory + "/data/pg_hba.conf", atomically: false, encoding: .utf8)
        if Self.isRoot { _ = try await shell("chown postgres:postgres \(directory)/server.*") }
        _ = try await shell("chmod 0600 \(directory)/server.key")
    }

    /// Makes a new cluster; ``start()`` starts it.
    ///
    /// - Throws: ``Failure`` if PostgreSQL is not installed (`scripts/bootstrap test`), or it cannot be set up.
    public convenience init() async throws {
        try await self.init(port: nil)
    }

    private init(port: UInt16?) async throws {
        self.port = port
        let versions = "/usr/lib/postgresql"
        let found = (try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []
        guard let newest = found.compactMap({ Int($0) }).filter({ $0 >= 15 }).max() else {
            throw Failure(
                description: "PostgreSQL 15 or later is missing below \(versions): run scripts/bootstrap test"
            )
        }
        programs = "\(versions)/\(newest)/bin"
        let base = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        directory = base + "/keybound-pg-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let setUp = """
            \(Self.isRoot ? "chown postgres:postgres \(directory) &&" : "")
            \(prefix)\(programs)/initdb --no-sync --no-instructions -U postgres -A trust -E UTF8 --locale=C -D \(directory)/data
            """
        let result = try await shell(setUp)
        guard result.status == 0 else { throw Failure(description: "initdb failed: \(result.errors)") }
    }

    /// The address of one of its databases.
    ///
    /// - Parameter database: Its name.
    /// - Returns: A URL of libpq.
    public func address(of database: String) -> String {
        "postgresql://postgres@/\(database)?host=\(directory)" + (port.map { "&port=\($0)" } ?? "")
    }

    /// Runs a script as the user of the server, with the programs of PostgreSQL and the server's socket.
    ///
    /// - Parameter script: Text for bash.
    /// - Returns: What it printed.
    /// - Throws: ``Failure`` with its errors if a command of it fails.
    @discardableResult
    public func run(_ script: String) async throws -> String {
        let user = Self.isRoot ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        let command = user + ["/bin/bash", "-ec", script]
        let environment = [
            "PATH": "\(programs):/usr/bin:/bin", "LC_ALL": "C", "PGHOST": directory, "PGUSER": "postgres",
            "PGPORT": "\(port ?? 5432)",
        ]
        let child = try ChildProcess(
            command[0],
            Array(command.dropFirst()),
            environment: environment,
            directory: directory
        )
        let result = await child.result()
        guard result.status == 0 else { throw Failure(description: result.errors) }
        return result.output
    }

    /// Starts the server, and waits until it answers.
    ///
    /// - Parameter settings: Further settings, `name=value`.
    /// - Throws: ``Failure``.
    public func start(_ settings: String...) async throws {
        // Nothing that is stored has to outlive this machine. The supervisor ends the server with the test process,
        // however that ends. It asks for its jobs: a server that has ended may have left its number to another process.
        let network = port.map { port in
            """
            -p \(port) -c listen_addresses=127.0.0.1 -c ssl=on -c ssl_cert_file=\(directory)/server.pem \
            -c ssl_key_file=\(directory)/server.key
            """
        }
        let options = ([network ?? "-c listen_addresses="] + settings.map { "-c \($0)" }).joined(separator: " ")
        let script = """
            \(prefix)\(programs)/postgres -D \(directory)/data -k \(directory) -c fsync=off \(options) \
                -c max_connections=300 -c deadlock_timeout=100ms -c shared_buffers=64MB -c log_min_messages=panic &
            server=$!
            while kill -0 \(getpid()) 2>/dev/null && [ -n "$(jobs -pr)" ]; do sleep 0.3; done
            [ -z "$(jobs -pr)" ] || kill -QUIT $server 2>/dev/null; wait $server
            kill -0 \(getpid()) 2>/dev/null || rm -rf \(directory)
            """
        let child = try ChildProcess("/bin/bash", ["-c", script], environment: Self.environment, directory: "/")
        supervisor.withLock { $0 = child }
        // A minute, unless it has ended: the machine may be busy.
        for _ in 0..<1200 where !child.isSilent {
            if (try? await PostgreSQLQuery.run("SELECT 1", at: address(of: "postgres"))) != nil { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(description: "PostgreSQL does not answer: \(child.errorsSoFar)")
    }

    /// Ends all processes of the server at once, as a crash does; what is not in its log is lost.
    ///
    /// - Throws: ``Failure`` if it does not run.
    public func kill() async throws {
        let text = (try? String(contentsOfFile: directory + "/data/postmaster.pid", encoding: .utf8)) ?? ""
        guard let line = text.split(separator: "\n").first, let processID = pid_t(line) else {
            throw Failure(description: "PostgreSQL does not run")
        }
        // The children first are stopped with their parent, so that none of them ends in order.
        _ = try await shell("pkill -KILL -P \(processID); kill -KILL \(processID)")
        let ended = supervisor.withLock { supervisor in
            defer { supervisor = nil }
            return supervisor
        }
        _ = await ended?.result()
        try? FileManager.default.removeItem(atPath: directory + "/data/postmaster.pid")
    }

    /// Stops all processes of the server, as a machine that hangs does, or lets them go on.
    ///
    /// - Parameter isPaused: Whether they stand still from now on.
    /// - Throws: ``Failure`` if it does not run.
    public func pause(_ isPaused: Bool) async throws {
        let signal = isPaused ? "STOP" : "CONT"
        let processID = "$(head -n 1 \(directory)/data/postmaster.pid)"
        let result = try await shell("kill -\(signal) \(processID) && pkill -\(signal) -P \(processID)")
        guard result.status == 0 else { throw Failure(description: "PostgreSQL does not run: \(result.errors)") }
    }

    /// Ends the server and removes its files.
    public func remove() async {
        let ended = supervisor.withLock { supervisor in
            defer { supervisor = nil }
            return supervisor
        }
        // A test that failed may have left it paused.
        try? await pause(false)
        // The supervisor may have been started with SIGTERM blocked; it ends with the server.
        _ = try? await shell("kill -QUIT $(head -n 1 \(directory)/data/postmaster.pid)")
        _ = await ended?.result()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static let isRoot = geteuid() == 0
    private static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"]

    private var prefix: String {
        Self.isRoot ? "setpriv --reuid=postgres --regid=postgres --clear-groups " : ""
    }

    private func shell(_ script: String) async throws -> ChildProcess.Result {
        try await ChildProcess("/bin/bash", ["-c", script], environment: Self.environment, directory: "/").result()
    }
}
#endif
