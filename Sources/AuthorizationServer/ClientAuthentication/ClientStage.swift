// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A stage at which the client is known.
protocol ClientStage: FormStage {
    var clientRequest: ClientRequest { get }
}

extension ClientStage {
    var client: RegisteredClient { clientRequest.client }
    var form: FormRequest { clientRequest.form }
}
