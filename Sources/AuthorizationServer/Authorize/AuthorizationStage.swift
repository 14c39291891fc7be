// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A stage at which everything is known that an authorization request must have.
protocol AuthorizationStage: ClientStage {
    var authorization: AuthorizationRequest { get }
}

extension ProvenRequest: AuthorizationStage where Base: AuthorizationStage {
    var authorization: AuthorizationRequest { base.authorization }
}
