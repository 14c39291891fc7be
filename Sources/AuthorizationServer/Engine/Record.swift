// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// Records something that works only once.
///
/// Records are the last rows of a table: a request that is rejected for another reason records nothing. They add to a
/// ``/ServerStorage/Recording``, which the endpoint stores in one transaction with its change. If it was recorded
/// before, that transaction changes nothing; see ``Services/write(_:for:_:)``.
protocol Record<Stage>: Sendable {
    associatedtype Stage: Sendable

    /// The specification and section that state the rule.
    var section: String { get }

    func record(
        _ request: Stage,
        in recording: inout Recording,
        _ services: Services
    ) async throws(ProtocolFailure)
}
