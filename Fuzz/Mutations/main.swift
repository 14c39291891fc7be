// SPDX-License-Identifier: Apache-2.0

// Shows changed proofs to the verifier: mutations [COUNT [SEED]]
import Glibc
import TestSupport

private let arguments = CommandLine.arguments.dropFirst()
private let count = arguments.first.flatMap { Int($0) } ?? 1_000_000
private let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1 << 32)

private var trial = try await ProofTrial(seed: seed)
private let tally = Tally(of: count, &trial)
print(tally.report)
for finding in tally.findings.prefix(20) { print("FINDING: \(finding)") }
print(tally.findings.isEmpty ? "  no finding, seed \(seed)" : "  again: mutations \(count) \(seed)")
exit(tally.findings.isEmpty ? 0 : 1)
