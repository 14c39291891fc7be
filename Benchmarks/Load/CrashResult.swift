// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// The result of the check after a server was killed and restarted.
struct CrashResult: Sendable {
    private(set) var families = 0
    private(set) var uncertain = 0
    private(set) var failures: [String] = []

    mutating func countFamily() { families += 1 }

    mutating func countUncertain() { uncertain += 1 }

    mutating func require(_ condition: Bool, _ failure: @autoclosure () -> String) {
        if !condition { failures.append(failure()) }
    }

    mutating func add(_ other: CrashResult) {
        families += other.families
        uncertain += other.uncertain
        failures += other.failures
    }

    var json: JSONObject {
        [
            "families": .number(JSONNumber(Int64(families))), "uncertain": .number(JSONNumber(Int64(uncertain))),
            "failures": .strings(failures),
        ]
    }
}
