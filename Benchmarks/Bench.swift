// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Measures the core compared with the C calls that it is based on; `scripts/bench` starts it.
@main
struct Bench {
    @MainActor
    static func main() async throws {
        do {
            try await run(Options(Array(CommandLine.arguments.dropFirst())))
        } catch let error as BenchmarkError {
            say("\(error)")
            exit(1)
        }
    }

    @MainActor
    private static func run(_ options: Options) async throws {
        if let file = options.writeProofs { return try await PeerFile.write(to: file) }
        if let file = options.peer { return try await PeerRun(reading: file).run() }
        if let file = options.load { return try await LoadRun(reading: file).run() }
        if let file = options.crash { return try await CrashRun(reading: file).run() }
        if let file = options.cluster { return try await ClusterRun(reading: file).run() }
        if let file = options.storage { return try await StorageRun(reading: file).run() }
        if let file = options.race { return try await RaceRun(reading: file).run() }
        if let live = options.replayMemory { return ReplayMemory.printBytesPerEntry(live: live) }
        let measurements = measurements(options).filter(options.wants)
        guard !measurements.isEmpty else { throw BenchmarkError("no row has such a name") }
        if let profile = options.profile {
            Rounds.profile = profile
            for measurement in measurements { _ = try await measurement.run() }
            return
        }
        let load = MachineLoad()
        let rows = try await rows(measurements, areNamed: !options.words.isEmpty)
        let report = Report(rows: rows, versions: options.versions, othersShare: load.othersShare())
        print(options.isMarkdown ? report.markdown : report.text)
        if let output = options.output { try report.write(to: output) }
    }

    /// Measures what the machine supports; a row that was requested by name must be supported.
    @MainActor
    private static func rows(_ measurements: [Measurement], areNamed: Bool) async throws -> [Row] {
        var rows: [Row] = []
        for measurement in measurements {
            do {
                rows += try await measurement.run()
            } catch let error as BenchmarkError {
                guard error.isMissingPart, !areNamed else { throw error }
                say("left out \(measurement.name): \(error)")
            }
        }
        guard !rows.isEmpty else { throw BenchmarkError("the machine has not what the rows need") }
        return rows
    }

    private static func say(_ line: String) {
        FileHandle.standardError.write(Data("bench: \(line)\n".utf8))
    }

    private static func measurements(_ options: Options) -> [Measurement] {
        guard !options.isCallers else { return CallerRows.measurements }
        guard options.isGrowth else {
            return LimitRows.measurements(options.opensslSpeed) + SignatureRows.measurements + ProofRows.measurements
                + BatchRows.measurements + GuardRows.measurements + ByteRows.measurements + ClientRows.measurements
                + TokenRows.measurements
                + TPMRows.measurements
                + ReplayRows.measurements(options.isSmall ? [10_000] : [10_000, 10_000_000])
                + ReplayLatencyRows.measurements(live: options.isSmall ? 600_000 : 10_000_000)
        }
        let threads = (SignatureRows.measurements + ProofRows.measurements).filter { $0.name.hasSuffix("-2-threads") }
        return AlgorithmRows.measurements + threads + ProofGrowthRows.measurements + ByteGrowthRows.measurements
            + ReplayRows.growth(options.isSmall ? [10_000, 100_000] : [10_000, 100_000, 1_000_000, 10_000_000])
    }
}
