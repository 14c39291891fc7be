// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import ServerStorage
import StrictJSON

extension ReplayKey {
    /// What is remembered of a token that works once; `nil` never happens, since every hash has the form of a thumbprint.
    ///
    /// The name of the owner is no thumbprint of any key, and is counted like one: what each may store is bounded, and
    /// nobody can use up another one's `jti`.
    ///
    /// - Parameters:
    ///   - tokenID: `jti`.
    ///   - kind: What kind of token it is.
    ///   - owner: Who made it.
    init?(tokenID: String, kind: String, of owner: String) {
        let name = SecretHash(of: "\(kind)\u{0}\(owner)")
        guard let thumbprint = try? JWKThumbprint(Base64URL.encode(name.bytes)) else { return nil }
        self.init(owner: thumbprint, jti: tokenID)
    }
}
