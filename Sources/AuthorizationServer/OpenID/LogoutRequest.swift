// SPDX-License-Identifier: Apache-2.0

/// A request to sign out, and what its `id_token_hint` says, if it has one.
struct LogoutRequest: FormStage {
    let form: FormRequest
    let hint: IDTokenHint?

    /// Which client sends the browser; `nil` when nothing says so.
    func clientID() throws(ProtocolFailure) -> String? {
        try parameter("client_id") ?? hint?.clientID
    }
}
