// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs each job of a task on a new thread with low priority, which yields if the processors are busy.
@available(macOS 15, iOS 18, *)
final class OwnThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread {
            #if os(Linux)
            // Only for this thread, a Linux behavior.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            #endif
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
