// SPDX-License-Identifier: Apache-2.0

/// Verifies batches with a system library.
///
/// ``BatchVerifier`` tests it before its results are used.
protocol BatchFunctions: Sendable {
    /// The name of the library and where it was loaded from, for operators.
    var name: String { get }

    /// Verifies a batch.
    ///
    /// - Parameter lanes: One to eight signatures.
    /// - Returns: A bit for each lane, the lowest for the first: set if its signature is valid.
    func verify(_ lanes: SignatureBatch) -> UInt8
}
