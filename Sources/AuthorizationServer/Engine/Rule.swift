// SPDX-License-Identifier: Apache-2.0

/// A rule of a specification that only rejects.
///
/// It waits for nothing, so it cannot read what is stored. Generic rules serve every stage that has what they look at.
protocol Rule<Stage>: Sendable {
    associatedtype Stage: Sendable

    /// Where the rule stands.
    var section: String { get }

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure)
}
