// SPDX-License-Identifier: Apache-2.0

import PKCE

/// A code and what it is exchanged with.
struct LoadCode: Sendable {
    let code: String
    let verifier: CodeVerifier
}
