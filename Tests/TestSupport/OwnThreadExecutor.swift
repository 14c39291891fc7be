// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs each part of a task on a new thread, which gives way to others when there is not enough processor for all.
@available(macOS 15, iOS 18, *)
final class OwnThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread {
            #if os(Linux)
            // Of this thread only, as Linux has it.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            #endif
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
