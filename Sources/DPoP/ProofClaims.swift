// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// The claims of a proof (RFC 9449 section 4.2).
public struct ProofClaims: Sendable, Hashable {
    /// `jti`: unique for each proof, 1 to 256 bytes.
    public let jti: String
    /// `htm`: the method of the request.
    public let htm: String
    /// `htu`: the URI of the request, as the client wrote it.
    public let htu: String
    /// `iat`: when the proof was made.
    public let issuedAt: Timestamp
    /// `ath`: the hash of the access token.
    public let accessTokenHash: String?
    /// `nonce`: what the server gave out.
    public let nonce: String?
    /// `exp`.
    public let expiresAt: Timestamp?
    /// `nbf`.
    public let notBefore: Timestamp?
}
