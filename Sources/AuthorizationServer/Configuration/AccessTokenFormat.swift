// SPDX-License-Identifier: Apache-2.0

/// What an access token looks like to the API that gets it.
public enum AccessTokenFormat: String, Sendable, CaseIterable {
    /// A signed JWT, which the API reads by itself (RFC 9068).
    case jwt
    /// A random value, about which the API asks (RFC 7662); a token that was revoked is refused at once.
    case opaque
}
