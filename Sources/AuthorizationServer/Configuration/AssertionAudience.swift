// SPDX-License-Identifier: Apache-2.0

/// What a client assertion may have as `aud` (RFC 7523 section 3).
public enum AssertionAudience: String, Sendable, Hashable, CaseIterable {
    /// The issuer, as a string or an array of one; with ``SecurityProfile/fapi2`` only as a string (FAPI 2.0 section
    /// 5.3.2.1).
    case issuer
    /// The issuer, the token endpoint or the endpoint of the request, as a string or an array of one.
    ///
    /// Many clients send the token endpoint, which RFC 7523 names. The draft that updates it allows the issuer alone: a
    /// client that talks to two servers can be made to sign for the other one.
    case issuerOrEndpoint = "issuer-or-endpoint"
}
