// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import PKCE

/// An authorization code as it is stored: what it may be exchanged with, all of it immutable.
public struct StoredCode: Sendable, Hashable {
    /// The hash of the code.
    public var codeHash: SecretHash
    /// The grant it stands for.
    public var grantID: String
    /// Who may exchange it.
    public var clientID: String
    /// The redirect URI of the authorization request, byte by byte.
    public var redirectURI: String
    /// The challenge of the authorization request.
    public var codeChallenge: CodeChallenge
    /// The key that the request was bound to (`dpop_jkt`).
    public var dpopThumbprint: JWKThumbprint?
    /// `nonce` of the authorization request, for the id_token.
    public var nonce: String?
    /// When it can no longer be exchanged.
    public var expiresAt: Timestamp

    /// Makes a code.
    ///
    /// - Parameters:
    ///   - codeHash: The hash of the code.
    ///   - grantID: The grant it stands for.
    ///   - clientID: Who may exchange it.
    ///   - redirectURI: The redirect URI of the authorization request.
    ///   - codeChallenge: The challenge of the authorization request.
    ///   - dpopThumbprint: The key that the request was bound to.
    ///   - nonce: `nonce` of the authorization request.
    ///   - expiresAt: When it can no longer be exchanged.
    public init(
        codeHash: SecretHash,
        grantID: String,
        clientID: String,
        redirectURI: String,
        codeChallenge: CodeChallenge,
        dpopThumbprint: JWKThumbprint?,
        nonce: String? = nil,
        expiresAt: Timestamp
    ) {
        self.codeHash = codeHash
        self.grantID = grantID
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.dpopThumbprint = dpopThumbprint
        self.nonce = nonce
        self.expiresAt = expiresAt
    }
}
