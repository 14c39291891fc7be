// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Work that the system should not suspend halfway.
///
/// A refresh holds a lock in the container that app and extension share, and iOS terminates a process that is suspended
/// meanwhile. This asks for the time to finish. It has not run on a device.
enum ExpiringActivity {
    /// Runs work, and keeps the process from being suspended until it has ended.
    ///
    /// - Parameters:
    ///   - reason: What the work is, for the logs of the system.
    ///   - work: The work; it is cancelled when the system has no more time to give.
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
            guard !isExpiring else {
                task.cancel()
                return
            }
            // This thread belongs to the system. While it waits, the process is not suspended.
            end.wait()
        }
        #endif
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
