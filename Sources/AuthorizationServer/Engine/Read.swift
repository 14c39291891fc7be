// SPDX-License-Identifier: Apache-2.0

/// Reads what is stored, for the checks after it.
///
/// A read rejects nothing: what it does not find, the next check rejects, and is named for it in audit events. The only
/// failure is that the storage is unavailable.
protocol Read<Input, Output>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    /// Where it stands what is looked for.
    var section: String { get }

    func run(_ request: Input, _ services: Services) async throws(ProtocolFailure) -> Output
}
