// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import OAuthCore
public import OAuthSystem
public import PKCE

/// A sign-in that waits for its response: what the client must remember between the authorization request and the token
/// request.
public struct SignInTransaction: Sendable, Hashable, RedactedSecret {
    /// `state`: 256 random bits in base64url; identifies the transaction.
    public internal(set) var state: String
    /// The code verifier, for this sign-in only.
    public internal(set) var codeVerifier: CodeVerifier
    /// The account, whose issuer must send the response.
    public let account: ClientAccount
    /// The redirect URI, byte by byte as it was sent; `nil` for a sign-in without a browser that sent none.
    public internal(set) var redirectURI: String?
    /// The requested scope.
    public let scope: Scope
    /// The key that the code is bound to (RFC 9449 section 10); `nil` when it is bound to none.
    public let keyThumbprint: JWKThumbprint?
    /// Whether the response must name its issuer: the metadata promised it when the sign-in began (RFC 9207 section 3).
    public let expectsIssuer: Bool
    /// When the sign-in expires.
    public internal(set) var expiresAt: Timestamp
    /// The requested resources (RFC 8707).
    public let resources: [String]
    /// The requested authorization details (RFC 9396).
    public let authorizationDetails: [AuthorizationDetail]
    /// The required response mode.
    public let responseMode: ResponseMode
    /// `nonce`, which the id_token must contain: 256 random bits in base64url; `nil` without the scope `openid`.
    public internal(set) var nonce: String?
    /// `max_age` as it was sent.
    public let maxAge: Duration?
    /// When the sign-in began, by the clock of the device; ``maxAge`` counts from here.
    public internal(set) var startedAt: Timestamp?
    /// The authentication contexts of which the id_token must name one: any when empty; `nil` when it need not name
    /// one.
    public let requiredACRValues: [String]?
    /// `sub` of the user who must sign in; `nil` for any user.
    public let requiredSubject: String?

    /// Makes a transaction, for stores that serialize transactions.
    ///
    /// - Parameters:
    ///   - state: `state`.
    ///   - codeVerifier: The verifier.
    ///   - account: The account, whose issuer must send the response.
    ///   - redirectURI: The redirect URI as it was sent; `nil` for none.
    ///   - scope: The requested scope.
    ///   - keyThumbprint: The key that the code is bound to; `nil` for none.
    ///   - expectsIssuer: Whether the response must name its issuer.
    ///   - expiresAt: When the sign-in expires.
    ///   - resources: The requested resources.
    ///   - authorizationDetails: The requested authorization details.
    ///   - responseMode: The required response mode.
    ///   - nonce: `nonce` as it was sent.
    ///   - maxAge: `max_age` as it was sent.
    ///   - startedAt: When the sign-in began.
    ///   - requiredACRValues: The acceptable authentication contexts.
    ///   - requiredSubject: The user who must sign in.
    public init(
        state: String,
        codeVerifier: CodeVerifier,
        account: ClientAccount,
        redirectURI: String?,
        scope: Scope,
        keyThumbprint: JWKThumbprint?,
        expectsIssuer: Bool,
        expiresAt: Timestamp,
        resources: [String] = [],
        authorizationDetails: [AuthorizationDetail] = [],
        responseMode: ResponseMode = .query,
        nonce: String? = nil,
        maxAge: Duration? = nil,
        startedAt: Timestamp? = nil,
        requiredACRValues: [String]? = nil,
        requiredSubject: String? = nil
    ) {
        self.state = state
        self.codeVerifier = codeVerifier
        self.account = account
        self.redirectURI = redirectURI
        self.scope = scope
        self.keyThumbprint = keyThumbprint
        self.expectsIssuer = expectsIssuer
        self.expiresAt = expiresAt
        self.resources = resources
        self.authorizationDetails = authorizationDetails
        self.responseMode = responseMode
        self.nonce = nonce
        self.maxAge = maxAge
        self.startedAt = startedAt
        self.requiredACRValues = requiredACRValues
        self.requiredSubject = requiredSubject
    }

    /// Whether the request has a requirement that only an id_token can prove.
    var demandsIDToken: Bool {
        nonce != nil && (maxAge != nil || requiredACRValues != nil || requiredSubject != nil)
    }

    /// RFC 8707 section 2.2: a token request may name some of the requested resources, and no others.
    func requireAsked(for some: [String]) throws(OAuthClientError) {
        if resources.isEmpty { return }
        guard some.allSatisfy({ resource in resources.contains { $0.isIdentical(to: resource) } }) else {
            throw OAuthClientError(.invalidArgument, "a resource is none of those that the sign-in asked for")
        }
    }

    /// Compares two transactions in constant time.
    ///
    /// - Parameters:
    ///   - left: One transaction.
    ///   - right: The other one.
    /// - Returns: Whether both are identical, byte by byte.
    public static func == (left: SignInTransaction, right: SignInTransaction) -> Bool {
        left.state.isIdenticalInConstantTime(to: right.state)
            && left.codeVerifier.text.isIdenticalInConstantTime(to: right.codeVerifier.text)
            && left.account == right.account
            && areIdentical(left.redirectURI, right.redirectURI)
            && left.scope == right.scope && left.keyThumbprint == right.keyThumbprint
            && left.expectsIssuer == right.expectsIssuer && left.expiresAt == right.expiresAt
            && left.resources == right.resources && left.authorizationDetails == right.authorizationDetails
            && left.responseMode == right.responseMode
            && areSame(left.nonce, right.nonce) && left.maxAge == right.maxAge && left.startedAt == right.startedAt
            && left.requiredACRValues == right.requiredACRValues && left.requiredSubject == right.requiredSubject
    }

    private static func areIdentical(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isIdentical(to: right)
    }

    private static func areSame(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isIdenticalInConstantTime(to: right)
    }
}
