// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A stage at which the grant is known.
protocol GrantStage: ClientStage {
    /// The grant; `nil` if it is revoked.
    var grant: Grant? { get }
}
