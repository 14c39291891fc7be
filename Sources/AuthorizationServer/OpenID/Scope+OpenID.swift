// SPDX-License-Identifier: Apache-2.0

import OAuthCore

extension Scope {
    /// The scope value that requests an ID token (OpenID Connect Core section 3.1.2.1).
    static let openIDName = "openid"
    /// The scope value that requests the user's name (section 5.4).
    static let profileName = "profile"

    var isForOpenID: Bool { contains(Self.openIDName) }
}
