// SPDX-License-Identifier: Apache-2.0

public import StrictJSON

/// A successful response of a token endpoint (RFC 6749 section 5.1).
public struct TokenResponse: Sendable, Hashable {
    /// `access_token`.
    public var accessToken: AccessToken
    /// `token_type`.
    public var tokenType: TokenType
    /// `expires_in`: the lifetime of the access token, in whole seconds on the wire; `nil` if the server does not say.
    public var expiresIn: Duration?
    /// `refresh_token`; `nil` on a refresh means that the old one stays valid.
    public var refreshToken: RefreshToken?
    /// `scope`: the granted scope; `nil` means as requested.
    public var scope: Scope?
    /// `issued_token_type`: the type of the token that a token exchange issued (RFC 8693 section 2.2.1).
    public var issuedTokenType: TokenTypeIdentifier?
    /// `authorization_details`: the granted authorization details (RFC 9396 section 7); `nil` if the server does not
    /// say.
    public var authorizationDetails: [AuthorizationDetail]?
    /// `id_token`: the authenticated user (OpenID Connect Core section 3.1.3.3), not verified.
    public var idToken: SecurityToken?
    /// Members that are not of OAuth, such as `instance_url`: strings, numbers and booleans.
    public var otherMembers = AdditionalMembers()

    private static let members: Set<String> = [
        "access_token", "token_type", "expires_in", "refresh_token", "scope", "issued_token_type",
        "authorization_details", "id_token", "auth_session",
    ]

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - tokenType: How the access token is used.
    ///   - expiresIn: The lifetime of the access token.
    ///   - refreshToken: The refresh token.
    ///   - scope: The granted scope.
    ///   - issuedTokenType: The type of the token that a token exchange issued.
    ///   - authorizationDetails: The granted authorization details.
    ///   - idToken: The authenticated user.
    public init(
        accessToken: AccessToken,
        tokenType: TokenType,
        expiresIn: Duration? = nil,
        refreshToken: RefreshToken? = nil,
        scope: Scope? = nil,
        issuedTokenType: TokenTypeIdentifier? = nil,
        authorizationDetails: [AuthorizationDetail]? = nil,
        idToken: SecurityToken? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.scope = scope
        self.issuedTokenType = issuedTokenType
        self.authorizationDetails = authorizationDetails
        self.idToken = idToken
    }

    /// Reads a response; unknown members are in ``otherMembers``.
    ///
    /// Servers write `expires_in` as a number, as a string, or as a number so large that it means never. All of these
    /// are read; a value above ten years counts as ten years.
    ///
    /// - Parameter object: The JSON body.
    /// - Throws: ``OAuthCoreError/Code/malformedTokenResponse`` without a valid `access_token` and `token_type`, or if
    ///   another known member has the wrong form.
    public init(parsing object: JSONObject) throws(OAuthCoreError) {
        accessToken = AccessToken(try Self.requiredToken("access_token", in: object))
        tokenType = TokenType(rawValue: try Self.requiredToken("token_type", in: object))
        refreshToken = try Self.token("refresh_token", in: object).map { RefreshToken($0) }
        expiresIn = try object["expires_in"].flatMap(Self.lifetime)
        scope = try Self.scope(in: object)
        issuedTokenType = try Self.token("issued_token_type", in: object).map { TokenTypeIdentifier(rawValue: $0) }
        authorizationDetails = try Self.authorizationDetails(in: object)
        idToken = try Self.token("id_token", in: object).map { SecurityToken($0, type: .idToken) }
        otherMembers = AdditionalMembers(of: object, besides: Self.members)
    }

    /// The JSON body of the response.
    public var json: JSONObject {
        var object: JSONObject = [
            "access_token": .string(accessToken.value), "token_type": .string(tokenType.rawValue),
        ]
        object["expires_in"] = expiresIn.map { .number(JSONNumber($0.components.seconds)) }
        object["refresh_token"] = refreshToken.map { .string($0.value) }
        object["scope"] = scope.map { .string($0.description) }
        object["issued_token_type"] = issuedTokenType.map { .string($0.rawValue) }
        object["authorization_details"] = authorizationDetails.map { .array($0.map { .object($0.json) }) }
        object["id_token"] = idToken.map { .string($0.value) }
        for member in otherMembers.json.members where object[member.name] == nil { object[member.name] = member.value }
        return object
    }

    private static func requiredToken(_ name: String, in object: JSONObject) throws(OAuthCoreError) -> String {
        guard let token = try token(name, in: object) else {
            throw OAuthCoreError(.malformedTokenResponse, "'\(name)' is missing")
        }
        return token
    }

    /// A string that is allowed in a header field; `null` and the empty string count as absent.
    private static func token(_ name: String, in object: JSONObject) throws(OAuthCoreError) -> String? {
        guard let value = object[name], value != .null, value != .string("") else { return nil }
        guard let text = value.stringValue, text.utf8.count <= maximumTokenLength,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw OAuthCoreError(
                .malformedTokenResponse,
                "'\(name)' is not a string of visible ASCII of at most \(maximumTokenLength) characters"
            )
        }
        return text
    }

    private static func scope(in object: JSONObject) throws(OAuthCoreError) -> Scope? {
        guard let value = object["scope"], value != .null else { return nil }
        guard let text = value.stringValue else {
            throw OAuthCoreError(.malformedTokenResponse, "'scope' is not a string")
        }
        // Some servers write two spaces, or one at the end.
        let words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        return words.isEmpty ? nil : try Scope(words)
    }

    private static func authorizationDetails(
        in object: JSONObject
    ) throws(OAuthCoreError) -> [AuthorizationDetail]? {
        guard let value = object["authorization_details"], value != .null else { return nil }
        do {
            return try AuthorizationDetail.list(parsing: value)
        } catch {
            throw OAuthCoreError(.malformedTokenResponse, error.reason, underlying: error)
        }
    }

    private static func lifetime(_ value: JSONValue) throws(OAuthCoreError) -> Duration? {
        guard value != .null else { return nil }
        guard let lifetime = value.lifetime else {
            throw OAuthCoreError(.malformedTokenResponse, "'expires_in' is not a number of seconds")
        }
        return lifetime
    }

    private static let maximumTokenLength = 16_384
}
