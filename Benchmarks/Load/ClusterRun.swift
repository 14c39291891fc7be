// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Puts several servers on one database under load while somebody else kills and stops them, and reports what must not
/// happen; `scripts/strain-cluster` starts it.
///
/// It ends when its standard input does.
struct ClusterRun {
    private let plan: LoadPlan

    init(reading path: String) throws {
        plan = try LoadPlan(reading: path)
        guard !plan.proxies.isEmpty, !plan.nodes.isEmpty else {
            throw BenchmarkError("the plan has no proxies or nodes")
        }
    }

    func run() async throws {
        let report = ClusterReport()
        let stop = ClusterStop()
        Thread.detachNewThread {
            while readLine() != nil {}
            stop.set()
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<plan.workers {
                let worker = try ClusterWorker(plan, number: number, report)
                group.addTask { try await worker.run(until: stop) }
            }
            try await group.waitForAll()
        }
        report.finish()
    }
}

/// Whether the run is to end.
final class ClusterStop: Sendable {
    private let isSet = Mutex(false)

    func set() { isSet.withLock { $0 = true } }

    var isOver: Bool { isSet.withLock { $0 } }
}
