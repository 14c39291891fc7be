// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// What a sign-in asks for beyond its scopes; nothing unless set.
public struct AuthorizationOptions: Sendable, Hashable {
    /// Further parameters of the authorization request, for which there is no name here.
    ///
    /// None may be one that the client sets itself.
    public var additionalParameters: FormParameters

    /// Makes options.
    ///
    /// - Parameter additionalParameters: Further parameters of the authorization request.
    public init(additionalParameters: FormParameters = [:]) {
        self.additionalParameters = additionalParameters
    }
}
