// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Foundation
import JOSE

/// The table for people and the file for programs.
struct Report {
    let rows: [Row]
    /// What the compiler says it is, from outside: a program cannot ask.
    let compiler: String
    /// What `openssl speed` said beside this run; `nil` when it was not run.
    let opensslSpeed: String?

    private var machine: String {
        let cpu = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
            .split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return "\((cpu ?? nil)?.trimmingCharacters(in: .whitespaces) ?? "unknown"), "
            + "\(ProcessInfo.processInfo.processorCount) processors, \(ProcessInfo.processInfo.operatingSystemVersionString)"
    }

    private var openSSL: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }

    func printTable() {
        print("machine   \(machine)\ncompiler  \(compiler)\ncrypto    \(openSSL)")
        if let opensslSpeed { print("openssl speed, same run: \(opensslSpeed)") }
        print("median of \(Rounds.count) interleaved rounds; spread of the ratio in brackets\n")
        for line in lines { print(line) }
    }

    private var lines: [String] {
        let head = ["row", "ours", "reference", "ratio", "spread", "target", "", "reference is"]
        let cells = rows.map { row in
            [
                row.name, String(format: "%.3f %@", row.ours, row.unit),
                String(format: "%.3f %@", row.reference, row.unit), String(format: "%.3f", row.ratio),
                String(format: "[%.3f-%.3f]", row.spread.lowerBound, row.spread.upperBound), row.targetText,
                row.isMet.map { $0 ? "ok" : "MISSED" } ?? "", row.referenceName,
            ]
        }
        let table = [head] + cells
        let widths = head.indices.map { column in table.map(\.[column].count).max() ?? 0 }
        return table.map { line in
            zip(line, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(separator: "  ")
        }
    }

    func write(to path: String) throws {
        let file = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let report: JSONValue = [
            "machine": .string(machine), "compiler": .string(compiler), "crypto": .string(openSSL),
            "opensslSpeed": opensslSpeed.map { .string($0) } ?? .null, "rows": .array(rows.map(\.json)),
        ]
        try Data(report.encoded()).write(to: file)
    }
}
