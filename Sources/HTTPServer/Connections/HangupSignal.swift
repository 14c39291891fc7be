// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import Synchronization

/// SIGHUP, which tells a service to reopen its log files.
public enum HangupSignal {
    static let number: Int32 = SIGHUP
    private static let handler = Mutex<(@Sendable () -> Void)?>(nil)

    /// Handles the signal: from now on it runs a function and does not end the process.
    ///
    /// - Parameter action: Runs on a thread for signals, once for each signal; replaces the function of an earlier
    ///   call.
    /// - Returns: Whether it worked; it fails only if the process has no file descriptor or thread left.
    @discardableResult
    public static func handle(_ action: @escaping @Sendable () -> Void) -> Bool {
        guard TerminationSignals.install() else { return false }
        handler.withLock { $0 = action }
        TerminationSignals.takeOver(number)
        return true
    }

    static func deliver() {
        handler.withLock { $0 }?()
    }
}
#endif
