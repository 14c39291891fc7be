// SPDX-License-Identifier: Apache-2.0

import Glibc
import StrictJSON

/// Signs in and refreshes until the server is killed, and then checks the restarted server against its earlier
/// responses.
///
/// Its caller reports when the server is back. The run cannot detect that: a process that is being killed may listen a
/// little longer than it responds.
struct CrashRun {
    private let plan: LoadPlan

    init(reading path: String) throws {
        plan = try LoadPlan(reading: path)
    }

    func run() async throws {
        var workers: [LoadWorker] = []
        for _ in 0..<plan.workers { workers.append(try LoadWorker(plan)) }
        print("running")
        fflush(nil)
        let records = try await withThrowingTaskGroup(of: (Int, CrashRecord).self) { group in
            for (index, worker) in workers.enumerated() { group.addTask { (index, try await worker.runUntilKilled()) } }
            return try await group.reduce(into: [Int: CrashRecord]()) { $0[$1.0] = $1.1 }
        }
        guard readLine() != nil else { throw BenchmarkError("nobody said that the server is back") }
        var verdict = CrashResult()
        for (index, record) in records { verdict.add(try await workers[index].check(record)) }
        print(String(decoding: JSONValue.object(verdict.json).encoded(), as: UTF8.self))
    }
}
