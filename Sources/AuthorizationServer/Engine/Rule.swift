// SPDX-License-Identifier: Apache-2.0

/// A rule of a specification that only rejects.
///
/// A rule is synchronous, so it cannot read from the storage. Generic rules apply to every stage that has the facts
/// they check.
protocol Rule<Stage>: Sendable {
    associatedtype Stage: Sendable

    /// The specification and section that state the rule.
    var section: String { get }

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure)
}
