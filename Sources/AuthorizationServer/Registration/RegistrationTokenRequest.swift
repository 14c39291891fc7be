// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A client registration request with a usable initial access token (RFC 7591 section 3).
struct RegistrationTokenRequest: Sendable {
    let received: ReceivedRequest
    let token: UsableRegistrationToken
}
