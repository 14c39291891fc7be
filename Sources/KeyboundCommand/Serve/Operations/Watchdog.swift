// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Tells the service manager that the process works, for as long as it does.
///
/// The task runs on the threads that make responses: if those hang, it is silent, and the manager restarts the process.
/// A database that is away does not silence it, since a restart would not bring that back.
enum Watchdog {
    /// Starts it; `nil` if the manager does not watch.
    static func start(_ manager: ServiceManager) -> Task<Void, Never>? {
        guard let interval = manager.watchdogInterval else { return nil }
        return Task {
            while !Task.isCancelled {
                manager.tell(.alive)
                try? await Task.sleep(for: interval)
            }
        }
    }
}
#endif
