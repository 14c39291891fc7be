// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A stage at which all required parameters of an authorization request are known.
protocol AuthorizationStage: ClientStage {
    var authorization: AuthorizationRequest { get }
}

extension ProvenRequest: AuthorizationStage where Base: AuthorizationStage {
    var authorization: AuthorizationRequest { base.authorization }
}
