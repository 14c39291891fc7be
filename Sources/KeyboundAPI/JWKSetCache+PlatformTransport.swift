// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore
import OAuthTransport

/// A cache with the transport of the platform.
extension JWKSetCache {
    /// Makes an empty cache that fetches with the transport of the platform.
    ///
    /// - Parameter uri: `jwks_uri` of the issuer, from its metadata.
    public init(uri: URI) {
        self.init(uri: uri, transport: PlatformTransport())
    }
}
