// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// A request with decoded parameters.
///
/// A class, like ``ClientRequest``: later stages contain it and are copied often.
final class FormRequest: FormStage {
    let received: ReceivedRequest
    let parameters: FormParameters

    var form: FormRequest { self }

    init(_ received: ReceivedRequest, _ parameters: FormParameters) {
        (self.received, self.parameters) = (received, parameters)
    }
}
