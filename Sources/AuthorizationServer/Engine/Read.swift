// SPDX-License-Identifier: Apache-2.0

/// Reads from the storage for the checks after it.
///
/// A read never rejects a request: if it finds nothing, the next check rejects, and audit events name that check. A
/// read fails only when the storage is unavailable.
protocol Read<Input, Output>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    /// The specification and section that define what is looked up.
    var section: String { get }

    func run(_ request: Input, _ services: Services) async throws(ProtocolFailure) -> Output
}
