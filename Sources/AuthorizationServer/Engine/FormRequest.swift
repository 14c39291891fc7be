// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// A request whose parameters are read.
///
/// A class, as ``ClientRequest``: later stages hold it, and are copied often.
final class FormRequest: FormStage {
    let received: ReceivedRequest
    let parameters: FormParameters

    var form: FormRequest { self }

    init(_ received: ReceivedRequest, _ parameters: FormParameters) {
        (self.received, self.parameters) = (received, parameters)
    }
}
