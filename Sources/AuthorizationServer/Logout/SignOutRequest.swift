// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A logout request with a known client; `nil` if it names none.
struct SignOutRequest: FormStage {
    let logout: LogoutRequest
    let client: RegisteredClient?
    /// The verified redirect URI of the client, to use after the logout.
    var redirectURI: String?

    var form: FormRequest { logout.form }
    var hint: IDTokenHint? { logout.hint }
}
