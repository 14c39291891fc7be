// SPDX-License-Identifier: Apache-2.0

/// What verifies lanes: a library of the system, of which nothing is believed before ``BatchVerifier`` has tried it.
protocol BatchFunctions: Sendable {
    /// What it is and where it came from, for operators.
    var name: String { get }

    /// Verifies lanes.
    ///
    /// - Parameter lanes: One to eight signatures.
    /// - Returns: A bit for each lane, the lowest for the first one: whether its signature is valid.
    func verify(_ lanes: SignatureBatch) -> UInt8
}
