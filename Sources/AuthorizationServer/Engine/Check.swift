// SPDX-License-Identifier: Apache-2.0

/// A rule of a specification that adds to what is known about a request: it takes one stage and returns the next.
///
/// The types of the stages are the order of a table: a fact is there once the check that finds it has run, and a table
/// that uses it earlier does not compile. A check waits for nothing, so it cannot read what is stored; see ``Read``.
protocol Check<Input, Output>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    /// Where the rule stands.
    var section: String { get }

    func run(_ request: consuming Input, _ services: Services) throws(ProtocolFailure) -> Output
}
