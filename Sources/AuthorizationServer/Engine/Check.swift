// SPDX-License-Identifier: Apache-2.0

/// A rule of a specification that learns something about a request: it takes one stage and returns the next.
///
/// The types of the stages enforce the order of a table: a fact exists once the check that establishes it has run, and
/// a table that uses it earlier does not compile. A check is synchronous, so it cannot read from the storage; see
/// ``Read``.
protocol Check<Input, Output>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    /// The specification and section that state the rule.
    var section: String { get }

    func run(_ request: consuming Input, _ services: Services) throws(ProtocolFailure) -> Output
}
