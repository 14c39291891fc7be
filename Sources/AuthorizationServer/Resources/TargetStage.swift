// SPDX-License-Identifier: Apache-2.0

/// A stage at which the APIs that an access token may be for are known.
protocol TargetStage: Sendable {
    associatedtype Targeted: Sendable

    /// The next stage, with the APIs that the access token is for.
    func targeted(_ configuration: ServerConfiguration) throws(ProtocolFailure) -> Targeted
}
