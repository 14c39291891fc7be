// SPDX-License-Identifier: Apache-2.0

#if canImport(LocalAuthentication) && canImport(Security)
import LocalAuthentication
import Synchronization

/// A user's approvals of signatures with a key, while they are valid.
final class UserPresence: Sendable {
    private struct Answer {
        let context: LAContext
        let end: ContinuousClock.Instant
    }

    private let approval: KeyUsePolicy
    private let answer = Mutex<Answer?>(nil)

    init(_ approval: KeyUsePolicy) {
        self.approval = approval
    }

    /// Runs a function that needs approval; the system asks the user unless an earlier approval is still valid.
    func withContext<Value: Sendable>(_ body: (LAContext) throws -> Value) throws -> Value {
        try answer.withLock { answer in
            let now = ContinuousClock.now
            if let current = answer, now < current.end { return try body(current.context) }
            answer?.context.invalidate()
            answer = nil
            let context = LAContext()
            if !approval.reason.isEmpty { context.localizedReason = approval.reason }
            let value = try body(context)
            if approval.duration > .zero {
                answer = Answer(context: context, end: now + approval.duration)
            } else {
                context.invalidate()
            }
            return value
        }
    }
}
#endif
