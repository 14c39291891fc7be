// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc
import Synchronization

/// SIGHUP, by which services are told to open their log files again.
public enum HangupSignal {
    /// The number of the signal.
    static let number: Int32 = SIGHUP
    private static let handler = Mutex<(@Sendable () -> Void)?>(nil)

    /// Takes over the signal: from now on it does not end the process, and a function runs for it.
    ///
    /// - Parameter action: Runs on a thread of its own for signals, each time one came; instead of the one of an earlier call.
    /// - Returns: Whether it worked; it fails only when the process has no file descriptor or thread left.
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
