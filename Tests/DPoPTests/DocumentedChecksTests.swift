// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import ProofSuite
import Testing

@Suite("The article on the checks says what the code does")
struct DocumentedChecksTests {
    private struct Row: Equatable {
        let step: String
        let section: String
        let errors: Set<String>
    }

    /// The rows of the table of steps: name in code font, section, rule, errors in code font.
    private let rows: [Row]

    init() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let article = root.appendingPathComponent("Sources/DPoP/Documentation.docc/TheChecks.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let table = try #require(lines.firstIndex { $0.hasPrefix("| Step |") })
        rows = lines[(table + 2)...].prefix { $0.hasPrefix("|") }
            .map { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                return Row(
                    step: cells[0].replacing("`", with: ""),
                    section: cells[1],
                    errors: Set(cells[3].replacing("`", with: "").components(separatedBy: ", "))
                )
            }
    }

    @Test func `the steps, their order and their sections`() {
        #expect(rows.map(\.step) == ProofStep.all.map(\.name))
        #expect(rows.map(\.section) == ProofStep.all.map(\.section))
    }

    @Test(arguments: ProofStep.all)
    func `the errors of a step`(step: ProofStep) throws {
        let row = try #require(rows.first { $0.step == step.name })
        // Replay is not a property of one proof: ReplayTests shows these two.
        let replay: Set<String> = [
            DPoPError.Code.replayed.rawValue, DPoPError.Code.replayStoreUnavailable.rawValue,
        ]
        let seen = RejectedProofTests.all.filter { $0.step == step }.map(\.code.rawValue)
        #expect(row.errors == (step == .replay ? replay : Set(seen)))
    }
}
