// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A request to sign out whose client is known; `nil` when it names none.
struct SignOutRequest: FormStage {
    let logout: LogoutRequest
    let client: RegisteredClient?
    /// Registered and belonging to the client: where the browser goes then.
    var redirectURI: String?

    var form: FormRequest { logout.form }
    var hint: IDTokenHint? { logout.hint }
}
