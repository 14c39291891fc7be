// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import ServerStorage
import StrictJSON

extension ReplayKey {
    /// The replay key of a single-use token.
    ///
    /// Never `nil`, since every hash has the form of a thumbprint.
    ///
    /// The owner's name takes the place of a key thumbprint. Each owner can store a bounded number of entries, and no
    /// owner can use up the `jti` of another.
    ///
    /// - Parameters:
    ///   - tokenID: `jti`.
    ///   - kind: The kind of token.
    ///   - owner: The issuer of the token.
    init?(tokenID: String, kind: String, of owner: String) {
        let name = SecretHash(of: "\(kind)\u{0}\(owner)")
        guard let thumbprint = try? JWKThumbprint(Base64URL.encode(name.bytes)) else { return nil }
        self.init(owner: thumbprint, jti: tokenID)
    }
}
