// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Foundation
import StrictJSON

/// The table for humans and the file for programs.
struct Report {
    let rows: [Row]
    /// Versions that a program cannot determine itself: the compiler, the commit.
    let versions: [(name: String, text: String)]
    /// How much of the machine other programs used in the meantime, from 0 to 1.
    let othersShare: Double?

    private var facts: [(name: String, text: String)] {
        let busy = othersShare.map {
            String(format: "%.0f %% of the machine%@", $0 * 100, $0 > 0.05 ? ": it was busy" : "")
        }
        return [("machine", Self.machine), ("system", Self.system)] + versions + [
            ("crypto", unsafe String(cString: OpenSSL_version(OPENSSL_VERSION))), ("others", busy ?? "unknown"),
        ]
    }

    private static var machine: String {
        let lines =
            (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)).map { $0.split(separator: "\n") } ?? []
        func value(_ name: String) -> String? {
            lines.first { $0.hasPrefix(name) }?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        }
        // The model name may be just "AMD EPYC": family and model distinguish the generations.
        let model = value("model name") ?? "unknown processor"
        let generation = zip(["family", "model"], [value("cpu family"), value("model\t")]).compactMap { name, value in
            value.map { "\(name) \($0)" }
        }
        return ([model] + generation + ["\(ProcessInfo.processInfo.activeProcessorCount) processors"]).joined(
            separator: ", "
        )
    }

    private static var system: String {
        let kernel = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        let name = kernel.map { ", Linux \($0.trimmingCharacters(in: .whitespacesAndNewlines))" } ?? ""
        return ProcessInfo.processInfo.operatingSystemVersionString + name
    }

    private static let head = ["row", "ours", "min-max", "reference", "ratio", "min-max", "target", "", "reference is"]

    private var cells: [[String]] {
        rows.map { row in
            [
                row.name, String(format: "%.3f %@", row.ours, row.unit), Self.text(row.oursSpread),
                String(format: "%.3f %@", row.reference, row.unit), String(format: "%.3f", row.ratio),
                Self.text(row.spread),
                row.targetText, row.verdict, row.referenceName,
            ]
        }
    }

    private static func text(_ range: ClosedRange<Double>) -> String {
        String(format: "%.3f-%.3f", range.lowerBound, range.upperBound)
    }

    private static let method = "Median of \(Rounds.count) interleaved rounds, with the smallest and the largest."

    /// For a terminal.
    var text: String {
        let table = [Self.head] + cells
        let widths = Self.head.indices.map { column in table.map(\.[column].count).max() ?? 0 }
        let lines = table.map { line in
            zip(line, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(separator: "  ")
        }
        let facts = facts.map { $0.name.padding(toLength: 10, withPad: " ", startingAt: 0) + $0.text }
        return (facts + [Self.method, ""] + lines).joined(separator: "\n")
    }

    /// For docs/performance.md and docs/performance-core.md.
    var markdown: String {
        let rule = Self.head.map { _ in "---" }
        let lines = ([Self.head, rule] + cells).map { "| " + $0.joined(separator: " | ") + " |" }
        let facts = facts.map { "\($0.name): \($0.text)" }.joined(separator: "; ")
        return ([facts + ".", Self.method, ""] + lines).joined(separator: "\n")
    }

    func write(to path: String) throws {
        let file = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        var report = JSONObject()
        for fact in facts { report[fact.name] = .string(fact.text) }
        report["rows"] = .array(rows.map(\.json))
        try Data(JSONValue.object(report).encoded()).write(to: file)
    }
}
