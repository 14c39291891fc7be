// SPDX-License-Identifier: Apache-2.0

import Reporting

extension Report {
    /// Runs a step; what it throws is its finding.
    static func step<Result>(
        _ name: String,
        _ transport: WitnessTransport,
        _ body: () async throws -> (Result, String)
    ) async throws -> Result {
        do {
            let (result, note) = try await body()
            step(name, passed: true, note: note)
            return result
        } catch {
            step(name, passed: false, note: "\(error); \(transport.takeNotes())")
            throw error
        }
    }
}
