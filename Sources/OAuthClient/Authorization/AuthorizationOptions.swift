// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// What a sign-in asks for beyond its scopes; nothing unless set.
public struct AuthorizationOptions: Sendable, Hashable {
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
