// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthSystem
import ServerStorage

/// A client as it will be registered, without its secret, and the initial access token that pays for it.
struct ClientRegistrationRequest: Sendable {
    let client: RegisteredClient
    let token: SecretHash
    let now: Timestamp
}
