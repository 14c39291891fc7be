// SPDX-License-Identifier: Apache-2.0

#if canImport(LocalAuthentication) && canImport(Security)
import LocalAuthentication
import Synchronization

/// The answers of a person to the question whether a key may sign, for as long as they count.
final class PersonalConsent: Sendable {
    private struct Answer {
        let context: LAContext
        let end: ContinuousClock.Instant
    }

    private let approval: KeyApproval
    private let answer = Mutex<Answer?>(nil)

    init(_ approval: KeyApproval) {
        self.approval = approval
    }

    /// Runs what needs an answer; the system asks while it runs, unless an answer of before still counts.
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
