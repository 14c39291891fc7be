// SPDX-License-Identifier: Apache-2.0

import PKCE

/// An authorization request with a code challenge.
struct ChallengedRequest: ClientStage {
    let base: RedirectRequest
    let codeChallenge: CodeChallenge

    var clientRequest: ClientRequest { base.clientRequest }
}
