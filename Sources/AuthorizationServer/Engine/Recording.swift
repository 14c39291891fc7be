// SPDX-License-Identifier: Apache-2.0

/// Remembers what works only once, and rejects what is remembered already.
///
/// Recordings are the last rows of a table: a request that is rejected for another reason leaves no trace.
protocol Recording<Stage>: Sendable {
    associatedtype Stage: Sendable

    /// Where the rule stands.
    var section: String { get }

    func record(_ request: Stage, _ services: Services) async throws(ProtocolFailure)
}
