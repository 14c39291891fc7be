// SPDX-License-Identifier: Apache-2.0

/// A check that waits: for a signature, which may be verified in a batch with those of other requests, or for the
/// storage.
protocol Verification<Input, Output>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    /// The specification and section that state the rule.
    var section: String { get }

    func run(_ request: Input, _ services: Services) async throws(ProtocolFailure) -> Output
}
