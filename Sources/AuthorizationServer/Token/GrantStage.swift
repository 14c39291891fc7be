// SPDX-License-Identifier: Apache-2.0

/// A stage at which the identifier of the grant is known.
protocol GrantStage: ClientStage {
    var grantID: String { get }
}
