// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Work that the system should not suspend halfway.
///
/// A refresh holds a lock in the container that app and extension share, and iOS terminates a process that is suspended
/// meanwhile. This asks for the time to finish. A refresh goes on with its lock when the call that began it is cancelled: so the
/// work is not cancelled, and the time is over when nothing holds the lock. It has not run on a device.
enum ExpiringActivity {
    /// Runs work to its end, and keeps the process from being suspended until then.
    ///
    /// - Parameters:
    ///   - reason: What the work is, for the logs of the system.
    ///   - work: The work. It is cancelled neither with the caller, who waits for it, nor when the system has no more time to
    ///     give. It should not wait for a person.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    static func run<Value: Sendable>(
        _ reason: String,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let end = DispatchSemaphore(value: 0)
        let task = Task {
            defer { end.signal() }
            return try await work()
        }
        #if os(iOS) || os(visionOS)
        ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpiring in
            // The time is over. The first call still waits: if it returned while a refresh runs, the process would be
            // suspended with the lock.
            guard !isExpiring else { return }
            // This thread belongs to the system. While it waits, the process is not suspended.
            end.wait()
        }
        #endif
        return try await task.value
    }
}
