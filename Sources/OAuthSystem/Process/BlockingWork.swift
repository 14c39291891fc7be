// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs blocking disk operations on a thread outside the cooperative pool.
package enum BlockingWork {
    /// Runs the work, and suspends until it is done.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try work() })
            }
        }
    }
}
