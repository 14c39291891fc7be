// SPDX-License-Identifier: Apache-2.0

import PKCE

/// A code and the data for its exchange.
struct LoadCode: Sendable {
    let code: String
    let verifier: CodeVerifier
}
