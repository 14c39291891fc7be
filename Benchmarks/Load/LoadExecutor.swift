// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs one worker on a thread that may block; the threads of Swift's own pool, one per processor, must not.
final class LoadExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "load")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedSerialExecutor()
        queue.async { unsafe job.runSynchronously(on: executor) }
    }
}
