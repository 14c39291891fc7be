// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A request to register a client, with an initial access token that can be used (RFC 7591 section 3).
struct RegistrationTokenRequest: Sendable {
    let received: ReceivedRequest
    let token: SecretHash
}
