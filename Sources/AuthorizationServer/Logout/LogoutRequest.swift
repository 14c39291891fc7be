// SPDX-License-Identifier: Apache-2.0

/// A logout request, with the claims of its `id_token_hint` if it has one.
struct LogoutRequest: FormStage {
    let form: FormRequest
    let hint: IDTokenHint?

    /// The client that redirects the browser here; `nil` if the request does not name one.
    func clientID() throws(ProtocolFailure) -> String? {
        try parameter("client_id") ?? hint?.clientID
    }
}
