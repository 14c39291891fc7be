// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// An initial access token with a use left, and what a client may register itself for with it; or that none is needed.
struct UsableRegistrationToken: Sendable {
    /// `nil` for open registration, without a token.
    let hash: SecretHash?
    let policy: RegistrationTokenPolicy
}
