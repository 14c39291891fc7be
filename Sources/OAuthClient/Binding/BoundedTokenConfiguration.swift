// SPDX-License-Identifier: Apache-2.0

/// Binds tokens and authorization codes to a key of the client with DPoP (RFC 9449); the default.
///
/// Tokens are sender-constrained. Every token request carries a proof and the authorization request has `dpop_jkt`. A
/// response with Bearer tokens is rejected, unless ``fallback`` says otherwise.
public struct BoundedTokenConfiguration: TokenBoundConfiguration, Hashable {
    /// The type of key that is made for an account without a key.
    public let keyPairType: KeyPairType
    /// What is allowed if binding fails; by default an error is thrown.
    public let fallback: TokenBindingFallback

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - keyPairType: The type of key to make. The `KeyStore` chooses where it is stored.
    ///   - fallback: What is allowed if binding fails.
    public init(keyPairType: KeyPairType = .p256, fallback: TokenBindingFallback = .fail) {
        self.keyPairType = keyPairType
        self.fallback = fallback
    }

    /// This value.
    public var binding: BoundedTokenConfiguration? { self }
}
