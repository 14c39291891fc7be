// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore

/// What a sign-in asks for beyond its scopes; nothing unless set.
public struct AuthorizationOptions: Sendable, Hashable {
    /// What the tokens are to be used at: absolute URIs without a fragment, 32 at most (RFC 8707).
    ///
    /// The first access token is for all of them, unless the exchange asks for some only; see
    /// ``OAuth2Client/exchangeAuthorizationCode(_:resources:authorizationDetails:)`` and
    /// ``TokenManager/fetch(resources:replacing:)``.
    public var resources: [String] = []
    /// What is asked for in more words than a scope has; 16 KiB of JSON at most (RFC 9396).
    ///
    /// Of a server that names the types it knows, no other is asked for. What was granted is in
    /// ``TokenSet/authorizationDetails``: less than this, or more, since a server fills in what the user chose (section 7.1).
    public var authorizationDetails: [AuthorizationDetail] = []
    /// Further parameters of the authorization request, for which there is no name here.
    ///
    /// None may be one that the client sets itself.
    public var additionalParameters: FormParameters
    /// How the answer is to come back; what comes back in another way is refused.
    public var responseMode: ResponseMode

    /// Makes options.
    ///
    /// - Parameters:
    ///   - additionalParameters: Further parameters of the authorization request.
    ///   - responseMode: How the answer is to come back.
    public init(additionalParameters: FormParameters = [:], responseMode: ResponseMode = .query) {
        self.additionalParameters = additionalParameters
        self.responseMode = responseMode
    }
}
