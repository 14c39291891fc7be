// SPDX-License-Identifier: Apache-2.0

/// Tokens and authorization codes are bound to a key of the client with DPoP (RFC 9449): the default.
///
/// Every request for tokens carries a proof, the authorization request `dpop_jkt`, and an answer with Bearer tokens is
/// refused unless ``fallback`` says otherwise.
public struct BoundedTokenConfiguration: TokenBoundConfiguration, Hashable {
    /// What kind of key is made for an account that has none.
    public let keyPairType: KeyPairType
    /// What is done where binding fails; nothing but an error by default.
    public let fallback: TokenBindingFallback

    /// Says how tokens are bound.
    ///
    /// - Parameters:
    ///   - keyPairType: What kind of key to make. Where it lives is the choice of the `KeyStore`.
    ///   - fallback: What is done where binding fails.
    public init(keyPairType: KeyPairType = .p256, fallback: TokenBindingFallback = .fail) {
        self.keyPairType = keyPairType
        self.fallback = fallback
    }

    /// This value.
    public var binding: BoundedTokenConfiguration? { self }
}
