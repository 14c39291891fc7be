// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
public import OAuthCore

/// The result of accepting a request.
public struct AuthorizedRequest: Sendable {
    /// Every claim of the access token; see ``AccessTokenProfile`` for where `client_id` and `scope` come from.
    public let claims: JWTClaims
    /// `sub`: the user that the client acts for.
    ///
    /// It is unique within its ``issuer`` only (RFC 7519 section 4.1.2).
    public let subject: String
    /// `client_id`: the client.
    public let clientID: String
    /// `scope`: the granted scope.
    public let scope: Scope
    /// What the token is bound to: the key that signed the proof, or nothing.
    public let binding: TokenBinding
    /// Fields to add to the response in any case: a new nonce for the client (RFC 9449 section 8.2).
    public let responseFields: HTTPFields
    /// The guard that accepted it.
    let identity: GuardIdentity

    /// `iss`: the authorization server that issued the token; `nil` if it was introspected, and the response names none.
    ///
    /// An API with several issuers identifies a user by issuer and subject, and a client by issuer and client ID.
    public var issuer: String? { claims.issuer }
}

extension AuthorizedRequest {
    /// Makes a value that no guard accepted, from claims that nobody signed.
    ///
    /// Only `OAuthTesting` calls it, for tests of handlers. Other packages cannot, so no API accepts a request by mistake
    /// that was not checked. A guard that gets it as an earlier result checks the request in full.
    package init(madeUpFrom claims: JWTClaims, scope: Scope, binding: TokenBinding) {
        self.init(
            claims: claims,
            subject: claims.subject ?? "",
            clientID: claims.string("client_id") ?? "",
            scope: scope,
            binding: binding,
            responseFields: [:],
            identity: GuardIdentity()
        )
    }
}
