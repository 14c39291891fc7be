// SPDX-License-Identifier: Apache-2.0

import OAuthCore

/// A stage at which the scope is known.
protocol ScopeStage: ClientStage {
    var scope: Scope { get }
}
