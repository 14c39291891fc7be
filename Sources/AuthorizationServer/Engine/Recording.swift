// SPDX-License-Identifier: Apache-2.0

/// Records something that works only once, and rejects it if it was recorded before.
///
/// Recordings are the last rows of a table: a request that is rejected for another reason records nothing.
protocol Recording<Stage>: Sendable {
    associatedtype Stage: Sendable

    /// The specification and section that state the rule.
    var section: String { get }

    func record(_ request: Stage, _ services: Services) async throws(ProtocolFailure)
}
