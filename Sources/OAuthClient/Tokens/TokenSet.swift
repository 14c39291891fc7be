// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore
public import OAuthSystem
public import StrictJSON

/// The tokens of an account.
public struct TokenSet: Sendable, Hashable {
    /// The access token.
    public let accessToken: AccessToken
    /// How the access token is used.
    public let tokenType: TokenType
    /// When the access token expires; `nil` when the server did not say.
    public let expiresAt: Timestamp?
    /// The refresh token; `nil` when there is none.
    public private(set) var refreshToken: RefreshToken?
    /// The granted scope.
    public let scope: Scope
    /// The key that the token request was proved with; `nil` if it had no proof, so that no token is bound.
    ///
    /// If the tokens are Bearer tokens, the refresh token may still be bound to the key (RFC 9449 section 5).
    public let keyThumbprint: JWKThumbprint?
    /// The resources that the access token was requested for (RFC 8707); a refresh requests the same.
    public let resources: [String]
    /// The granted authorization details (RFC 9396 section 7); `nil` when the server does not say.
    public let authorizationDetails: [AuthorizationDetail]?
    /// The id_token, which identifies the user; `nil` without the scope `openid`.
    public private(set) var idToken: IDToken?
    /// Members that the server added to its responses, such as `instance_url`, kept over refreshes; they do not print.
    public internal(set) var extras = AdditionalMembers()
    /// What the session notes next to the tokens.
    var record = SessionRecord()

    /// Makes a set of tokens.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - tokenType: How the access token is used.
    ///   - expiresAt: When the access token expires.
    ///   - refreshToken: The refresh token.
    ///   - scope: The granted scope.
    ///   - keyThumbprint: The key that the token request was proved with; `nil` for none.
    ///   - resources: The resources that the access token was requested for.
    ///   - authorizationDetails: The granted authorization details.
    ///   - idToken: The id_token, which identifies the user.
    public init(
        accessToken: AccessToken,
        tokenType: TokenType,
        expiresAt: Timestamp?,
        refreshToken: RefreshToken?,
        scope: Scope,
        keyThumbprint: JWKThumbprint?,
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail]? = nil,
        idToken: IDToken? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.scope = scope
        self.keyThumbprint = keyThumbprint
        self.resources = resources
        self.authorizationDetails = authorizationDetails
        self.idToken = idToken
    }

    /// The same tokens with the newest refresh token.
    func with(_ refreshToken: RefreshToken?) -> TokenSet {
        var copy = self
        copy.refreshToken = refreshToken
        return copy
    }

    /// The same tokens with another id_token.
    func with(_ idToken: IDToken) -> TokenSet {
        var copy = self
        copy.idToken = idToken
        return copy
    }

    /// The same tokens with changed notes of the session.
    func noting(_ change: (inout SessionRecord) -> Void) -> TokenSet {
        var copy = self
        change(&copy.record)
        return copy
    }

    /// The same tokens, which belong to the session of earlier ones.
    func continuing(_ earlier: TokenSet) -> TokenSet {
        noting { record in
            record = earlier.record
            record.refreshingSince = nil
            record.serverRetryAt = nil
            record.backOff = nil
        }
    }

    /// Whether these tokens came from the same sign-in as others of the account.
    ///
    /// Another user may have signed in to the same account, in another window or process.
    func continuesSession(of other: TokenSet) -> Bool {
        if let name = record.session, let otherName = other.record.session { return name == otherName }
        // At least one was stored by an older version: what is known must agree.
        if let subject = idToken?.subject, let otherSubject = other.idToken?.subject {
            guard subject.isIdentical(to: otherSubject) else { return false }
        }
        return keyThumbprint == other.keyThumbprint && scope.tokens.allSatisfy(other.scope.contains)
    }

    /// Whether newer tokens stay valid when these are revoked: a server may send the same refresh token again.
    ///
    /// Without a refresh token, as a service has none, the access token is what is revoked.
    func canBeRevoked(besides newer: TokenSet) -> Bool {
        guard accessToken != newer.accessToken else { return false }
        return refreshToken.map { $0 != newer.refreshToken } ?? true
    }

    /// Whether the user has signed out, and the tokens are kept only until they are revoked.
    ///
    /// A store returns such tokens like others; ``OAuth2Client/restoreSession(checkingKey:)`` gives no session for them.
    public var isEnded: Bool { record.endedAt != nil }

    /// Whether the access token has expired.
    ///
    /// - Parameter now: The time.
    /// - Returns: `false` also when the server did not say how long it is valid.
    public func isExpired(at now: Timestamp) -> Bool {
        expiresAt.map { $0 <= now } ?? false
    }
}

extension TokenSet {
    /// The tokens as JSON, secrets in clear: for a store that encrypts or protects it.
    public var json: JSONObject {
        var object: JSONObject = [
            "access_token": .string(accessToken.value), "token_type": .string(tokenType.rawValue),
            "scope": .string(scope.description),
        ]
        object["jkt"] = keyThumbprint.map { .string($0.description) }
        object["refresh_token"] = refreshToken.map { .string($0.value) }
        object["expires_at"] = expiresAt.map { .number(JSONNumber($0.secondsSince1970)) }
        if !resources.isEmpty { object["resources"] = .strings(resources) }
        object["authorization_details"] = authorizationDetails.map { .array($0.map { .object($0.json) }) }
        object["id_token"] = idToken.map { .object($0.storedMembers) }
        if !extras.json.members.isEmpty { object["extras"] = .object(extras.json) }
        record.write(to: &object)
        return object
    }

    private static let members: Set<String> = [
        "access_token", "token_type", "scope", "jkt", "refresh_token", "expires_at", "resources",
        "authorization_details", "id_token", "extras",
    ]

    /// Reads JSON that ``json`` wrote, in this version of the program or an earlier one.
    ///
    /// Members of later versions with the same format number are kept, and ``json`` writes them again.
    /// An id_token in it was validated before it was stored, and is not validated again.
    ///
    /// - Parameter object: The tokens as JSON.
    /// - Throws: ``OAuthClientError/Code/storageFailed`` for any other JSON, and for a newer format.
    public init(parsing object: JSONObject) throws(OAuthClientError) {
        let record = try SessionRecord.read(object, besides: Self.members)
        guard let accessToken = object["access_token"]?.stringValue, let type = object["token_type"]?.stringValue,
            let scope = try? Scope(parsing: object["scope"]?.stringValue ?? "")
        else { throw Self.notTokens }
        self.init(
            accessToken: AccessToken(accessToken),
            tokenType: TokenType(rawValue: type),
            expiresAt: object["expires_at"]?.integerValue.map { Timestamp(secondsSince1970: $0) },
            refreshToken: object["refresh_token"]?.stringValue.map { RefreshToken($0) },
            scope: scope,
            keyThumbprint: try Self.thumbprint(object["jkt"], TokenType(rawValue: type)),
            resources: object["resources"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            authorizationDetails: try Self.details(in: object),
            idToken: try Self.idToken(in: object)
        )
        extras = AdditionalMembers(of: object["extras"]?.objectValue ?? [:])
        self.record = record
    }

    private static func thumbprint(
        _ value: JSONValue?,
        _ type: TokenType
    ) throws(OAuthClientError) -> JWKThumbprint? {
        guard let value else {
            if type == .dpop { throw notTokens }
            return nil
        }
        guard let thumbprint = try? JWKThumbprint(value.stringValue ?? "") else { throw notTokens }
        return thumbprint
    }

    private static func details(in object: JSONObject) throws(OAuthClientError) -> [AuthorizationDetail]? {
        guard let value = object["authorization_details"] else { return nil }
        do {
            return try AuthorizationDetail.list(parsing: value)
        } catch {
            throw notTokens
        }
    }

    private static func idToken(in object: JSONObject) throws(OAuthClientError) -> IDToken? {
        guard let value = object["id_token"] else { return nil }
        do {
            return try IDToken(restoring: value.objectValue ?? [:])
        } catch {
            throw OAuthClientError(.storageFailed, "the stored id_token cannot be read")
        }
    }

    private static var notTokens: OAuthClientError {
        OAuthClientError(.storageFailed, "what was stored is not a set of tokens")
    }
}
