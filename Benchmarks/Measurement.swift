// SPDX-License-Identifier: Apache-2.0

/// A row to measure, or several with the same setup; nothing is set up before it runs.
struct Measurement {
    /// `limits`, `signatures`, `proofs`, `guards`, `batches`, `bytes`, `client`, `tokens`, `devices`, `replay`, `callers`,
    /// `algorithms` or `growth`.
    let group: String
    let name: String
    let run: @MainActor () async throws -> [Row]

    init(_ group: String, _ name: String, run: @escaping @MainActor () async throws -> [Row]) {
        (self.group, self.name, self.run) = (group, name, run)
    }
}
