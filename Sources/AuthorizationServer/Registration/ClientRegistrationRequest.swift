// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import ServerStorage

/// The client to register, without its secret, and the initial access token to use for it, if it needs one.
struct ClientRegistrationRequest: Sendable {
    let client: RegisteredClient
    let token: SecretHash?
    let now: Timestamp
}
