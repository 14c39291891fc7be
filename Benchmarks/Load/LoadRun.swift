// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// Puts a server under load: a closed loop of workers for each row, and one line of JSON per row.
struct LoadRun {
    private let plan: LoadPlan
    /// What is measured together.
    private let servers: [ServerProcess]

    init(reading path: String) throws {
        plan = try LoadPlan(reading: path)
        servers = try (plan.api?.processes ?? [plan.process]).map(ServerProcess.init)
    }

    func run() async throws {
        var workers: [LoadWorker] = []
        for _ in 0..<plan.workers { workers.append(try LoadWorker(plan)) }
        for row in plan.rows {
            for worker in workers { try await worker.prepare(row) }
            print(String(decoding: JSONValue.object(try await measure(row, workers)).encoded(), as: UTF8.self))
        }
    }

    private func measure(_ row: LoadRow, _ workers: [LoadWorker]) async throws -> JSONObject {
        let (start, processorStart) = (ThreadTime.wall(), servers.map { $0.processorTime() })
        let end = start + plan.seconds
        let result = await withTaskGroup(of: LoadResult.self) { group in
            for worker in workers { group.addTask { await worker.run(row, until: end) } }
            var all = LoadResult()
            for await result in group { all.add(result) }
            return all
        }
        let seconds = ThreadTime.wall() - start
        let processors = zip(servers, processorStart).map { $0.processorTime() - $1 }
        let count = Double(result.latencies.count)
        // Failed requests were work too: a server that loses many must not appear more expensive than it is.
        let requests = max(count + Double(result.failures + result.others), 1)
        return [
            "row": .string(row.rawValue), "workers": .number(JSONNumber(Int64(plan.workers))),
            "requests": .number(JSONNumber(Int64(result.latencies.count))),
            "failures": .number(JSONNumber(Int64(result.failures))),
            "firstFailure": result.firstFailure.map { .string($0) } ?? .null,
            "perSecond": Row.number(count / seconds), "processor": Row.number(processors.reduce(0, +) / requests * 1e6),
            "processors": .array(processors.map { Row.number($0 / requests * 1e6) }),
            "p50": Row.number(result.latency(0.50) * 1e3), "p99": Row.number(result.latency(0.99) * 1e3),
            "resident": Row.number(servers.map { $0.residentMegabytes() }.reduce(0, +)),
        ]
    }
}
