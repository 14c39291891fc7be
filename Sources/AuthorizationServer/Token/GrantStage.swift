// SPDX-License-Identifier: Apache-2.0

/// A stage at which it is known under which grant tokens are asked for.
protocol GrantStage: ClientStage {
    var grantID: String { get }
}
