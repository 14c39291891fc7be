// SPDX-License-Identifier: Apache-2.0

public import JOSE

/// What an accepted access token is bound to.
public enum TokenBinding: Sendable, Hashable {
    /// The key that signed the proof of the request, by its thumbprint.
    case key(JWKThumbprint)
    /// Nothing: a bearer token, which works for any holder.
    case nothing

    /// The thumbprint of the key; `nil` for a bearer token.
    public var thumbprint: JWKThumbprint? {
        if case .key(let thumbprint) = self { thumbprint } else { nil }
    }
}
