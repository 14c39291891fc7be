// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// RFC 9700 section 4.14.2: a grant gives tokens only until it is as old as grants may get.
///
/// It is computed from the configuration and not from the expiry of the token: a shorter ``Lifetimes/grant`` ends earlier
/// grants too.
struct CheckGrantAge<Stage: GrantStage>: Rule {
    let section = "RFC 9700 section 4.14.2"

    func check(_ request: Stage, _ services: Services) throws(ProtocolFailure) {
        guard let grant = request.grant, let end = services.configuration.lifetimes.end(of: grant) else { return }
        // Lifetimes are whole seconds (RFC 6749 section 5.1): what is left must be one at least.
        guard request.now + .seconds(1) <= end else {
            throw ProtocolFailure(.invalidGrant, "the grant is too old: the user has to sign in again")
        }
    }
}
