// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore

/// The tokens of an account, as a client keeps them.
public struct TokenSet: Sendable, Hashable {
    /// The access token.
    public let accessToken: AccessToken
    /// How the access token is used.
    public let tokenType: TokenType
    /// When the access token expires; `nil` when the server did not say.
    public let expiresAt: Timestamp?
    /// The refresh token; `nil` when there is none.
    public let refreshToken: RefreshToken?
    /// What was granted.
    public let scope: Scope
    /// The key that the tokens are bound to.
    public let keyThumbprint: JWKThumbprint
    /// Who signed in; `nil` without the scope `openid`.
    public let idToken: IDToken?

    /// Makes a set of tokens.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - tokenType: How the access token is used.
    ///   - expiresAt: When the access token expires.
    ///   - refreshToken: The refresh token.
    ///   - scope: What was granted.
    ///   - keyThumbprint: The key that the tokens are bound to.
    ///   - idToken: Who signed in.
    public init(
        accessToken: AccessToken,
        tokenType: TokenType,
        expiresAt: Timestamp?,
        refreshToken: RefreshToken?,
        scope: Scope,
        keyThumbprint: JWKThumbprint,
        idToken: IDToken? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.scope = scope
        self.keyThumbprint = keyThumbprint
        self.idToken = idToken
    }

    /// The same tokens with another id_token.
    func with(_ idToken: IDToken) -> TokenSet {
        TokenSet(
            accessToken: accessToken,
            tokenType: tokenType,
            expiresAt: expiresAt,
            refreshToken: refreshToken,
            scope: scope,
            keyThumbprint: keyThumbprint,
            idToken: idToken
        )
    }

    /// Whether the access token has expired.
    ///
    /// - Parameter now: The time.
    /// - Returns: `false` too when the server did not say how long it lives.
    public func isExpired(at now: Timestamp) -> Bool {
        expiresAt.map { $0 <= now } ?? false
    }
}

extension TokenSet {
    /// The tokens as JSON, secrets in clear: for a store that encrypts or guards it.
    public var json: JSONObject {
        var object: JSONObject = [
            "access_token": .string(accessToken.value), "token_type": .string(tokenType.rawValue),
            "scope": .string(scope.description), "jkt": .string(keyThumbprint.description),
        ]
        object["refresh_token"] = refreshToken.map { .string($0.value) }
        object["expires_at"] = expiresAt.map { .number(JSONNumber($0.secondsSince1970)) }
        object["id_token"] = idToken.map { .object($0.storedMembers) }
        return object
    }

    /// Reads what ``json`` wrote; an id_token in it was validated before it was stored, and is not validated again.
    ///
    /// - Parameter object: The tokens as JSON.
    /// - Throws: ``OAuthClientError/Code/storageFailed`` when it is something else.
    public init(parsing object: JSONObject) throws(OAuthClientError) {
        guard let accessToken = object["access_token"]?.stringValue, let type = object["token_type"]?.stringValue,
            let scope = try? Scope(parsing: object["scope"]?.stringValue ?? ""),
            let thumbprint = try? JWKThumbprint(object["jkt"]?.stringValue ?? "")
        else {
            throw OAuthClientError(.storageFailed, "what was stored is not a set of tokens")
        }
        let idToken = try Self.storedIDToken(object["id_token"])
        self.init(
            accessToken: AccessToken(accessToken),
            tokenType: TokenType(rawValue: type),
            expiresAt: object["expires_at"]?.integerValue.map { Timestamp(secondsSince1970: $0) },
            refreshToken: object["refresh_token"]?.stringValue.map { RefreshToken($0) },
            scope: scope,
            keyThumbprint: thumbprint,
            idToken: idToken
        )
    }

    private static func storedIDToken(_ value: JSONValue?) throws(OAuthClientError) -> IDToken? {
        guard let value else { return nil }
        do {
            return try IDToken(restoring: value.objectValue ?? [:])
        } catch {
            throw OAuthClientError(.storageFailed, "the stored id_token cannot be read", underlying: error)
        }
    }
}
