// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// What the callbacks of a daemon are given.
final class DaemonContext: Sendable {
    let core: ListenerCore
    let wakeup: Wakeup

    /// - Returns: `nil` when the system has no file descriptor to give.
    init?(core: ListenerCore) {
        guard let wakeup = Wakeup() else { return nil }
        self.core = core
        self.wakeup = wakeup
    }

    deinit {
        wakeup.close()
    }
}
#endif
