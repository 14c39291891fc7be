// SPDX-License-Identifier: Apache-2.0

import OAuthCore

extension Scope {
    /// The scope that asks for an id_token (OpenID Connect Core section 3.1.2.1).
    static let openIDName = "openid"
    /// The scope that asks for the name of the person (section 5.4).
    static let profileName = "profile"

    var isForOpenID: Bool { contains(Self.openIDName) }
}
