// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPServer
import OAuthClient

/// What SIGINT and SIGTERM do while a session is in use: they end the command, but not in the middle of a refresh.
///
/// The server may have replaced the refresh token already. If the new one is not stored, the session is lost at every server
/// that forgives no repetition (RFC 9700 section 4.14.2).
enum SessionInterruption {
    /// How long a running refresh may take after the first signal.
    ///
    /// A server that responds at all does so within this time. Whoever has to wait much longer ends the command by force.
    private static let patience = Duration.seconds(5)

    /// From now on the first signal ends the command after the refresh that is running, and a second one at once.
    ///
    /// - Parameter session: The session that the command uses.
    /// - Returns: What waits for the signals; cancel it where the command handles them itself.
    @discardableResult
    static func handle(_ session: OAuthSession) -> Task<Void, Never> {
        TerminationSignals.install()
        return Task {
            guard let signal = await TerminationSignals.next() else { return }
            await finish { await session.tokenManager.waitForRefresh() }
            ProcessEnd.now(bySignal: signal.number)
        }
    }

    /// Waits for a refresh, but only for a few seconds.
    ///
    /// - Parameters:
    ///   - untilSignal: Whether the next signal ends the wait.
    ///   - wait: Waits until no refresh is running, or until it is cancelled.
    static func finish(untilSignal: Bool = true, _ wait: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await wait() }
            group.addTask { try? await Task.sleep(for: patience) }
            if untilSignal { group.addTask { _ = await TerminationSignals.next() } }
            _ = await group.next()
            group.cancelAll()
        }
    }
}
#endif
