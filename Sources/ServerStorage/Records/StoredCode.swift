// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthSystem
public import PKCE

/// A stored authorization code, with everything that its exchange needs; immutable.
public struct StoredCode: Sendable, Hashable {
    /// The hash of the code.
    public var codeHash: SecretHash
    /// The grant of the code.
    public var grantID: String
    /// The client that may exchange it.
    public var clientID: String
    /// The redirect URI of the authorization request; the exact bytes, empty if it had none.
    public var redirectURI: String
    /// The challenge of the authorization request.
    public var codeChallenge: CodeChallenge
    /// The key to which the request was bound (`dpop_jkt`).
    public var dpopThumbprint: JWKThumbprint?
    /// `nonce` of the authorization request, for the ID token.
    public var nonce: String?
    /// When it expires.
    public var expiresAt: Timestamp

    /// Makes a code.
    ///
    /// - Parameters:
    ///   - codeHash: The hash of the code.
    ///   - grantID: The grant of the code.
    ///   - clientID: The client that may exchange it.
    ///   - redirectURI: The redirect URI of the authorization request.
    ///   - codeChallenge: The challenge of the authorization request.
    ///   - dpopThumbprint: The key to which the request was bound.
    ///   - nonce: `nonce` of the authorization request.
    ///   - expiresAt: When it expires.
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
