// SPDX-License-Identifier: Apache-2.0

/// The format of access tokens for an API.
public enum AccessTokenFormat: String, Sendable, CaseIterable {
    /// A signed JWT, which the API validates itself (RFC 9068).
    case jwt
    /// A random value, which the API introspects (RFC 7662); revoked tokens are rejected at once.
    case opaque
}
