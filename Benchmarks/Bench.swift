// SPDX-License-Identifier: Apache-2.0

/// Measures the core beside the C calls that it stands on; `scripts/bench` starts it.
@main
struct Bench {
    private struct Options {
        var rows: [String] = []
        var isLarge = false
        var output: String?
        var compiler = "unknown"
        var opensslSpeed: String?

        init(_ arguments: [String]) throws {
            var rest = arguments[...]
            while let argument = rest.popFirst() {
                switch argument {
                case "--large": isLarge = true
                case "--output": output = rest.popFirst()
                case "--compiler": compiler = rest.popFirst() ?? compiler
                case "--openssl-speed": opensslSpeed = rest.popFirst()
                case let name where name.hasPrefix("-"): throw BenchmarkError("unknown option \(name)")
                default: rows.append(argument)
                }
            }
        }

        func wants(_ group: String) -> Bool {
            rows.isEmpty || rows.contains(group)
        }
    }

    @MainActor
    static func main() async throws {
        let options = try Options(Array(CommandLine.arguments.dropFirst()))
        var rows: [Row] = []
        if options.wants("signatures") { rows += try await SignatureRows().run() }
        if options.wants("proofs") { rows += try await ProofRows().run() }
        if options.wants("bytes") { rows += try await ByteRows().run() }
        if options.wants("replay") {
            rows.append(try await ReplayRows.row(live: 10_000, named: "replay-insert-10k", target: 0.2))
            if options.isLarge {
                rows.append(try await ReplayRows.row(live: 10_000_000, named: "replay-insert-10m", target: 0.4))
            }
            for shape in ReplayLatencyRows.Shape.allCases {
                let (live, size) = options.isLarge ? (10_000_000, "10m") : (600_000, "600k")
                let name = "replay-worst-\(size)-\(shape.rawValue)"
                rows.append(ReplayLatencyRows.row(live: live, shape: shape, named: name))
            }
        }
        let report = Report(rows: rows, compiler: options.compiler, opensslSpeed: options.opensslSpeed)
        report.printTable()
        if let output = options.output { try report.write(to: output) }
    }
}
