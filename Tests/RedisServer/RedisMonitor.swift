// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import TestSupport

/// The commands that a ``RedisServer`` gets, as `MONITOR` shows them.
public final class RedisMonitor: Sendable {
    private let child: ChildProcess

    init(_ child: ChildProcess) {
        self.child = child
    }

    /// Waits for the first commands.
    ///
    /// - Parameter count: How many.
    /// - Returns: One line for each, in the order in which Redis carried them out.
    /// - Throws: ``RedisServer/Failure`` if they do not come.
    public func lines(_ count: Int) async throws -> [String] {
        // The first line says OK.
        guard try await wait(for: count + 1) else {
            throw RedisServer.Failure(description: "Redis got fewer commands: \(child.outputSoFar)")
        }
        return output.dropFirst().prefix(count).map(String.init)
    }

    /// Ends the watcher.
    public func stop() {
        child.kill()
    }

    /// Waits for a number of whole lines.
    func wait(for count: Int) async throws -> Bool {
        for _ in 0..<3000 {
            if output.count >= count { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    private var output: [Substring] {
        let text = child.outputSoFar
        return text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1)
    }
}
#endif
