// SPDX-License-Identifier: Apache-2.0

extension OAuth2ClientConfiguration {
    /// For apps and command-line tools on users' devices: a public client whose tokens are bound to a key.
    ///
    /// The client cannot be made with a setting that violates RFC 8252 or RFC 9700. It rejects a server whose metadata
    /// does not list S256 and the algorithm of the client's DPoP proofs, or does not promise `iss` in authorization
    /// responses. For a server that supports all of this without saying so, use a configuration without a profile,
    /// which tries.
    ///
    /// ``allowsInsecureHTTPOnLoopback`` may still be set, for a server on the developer's own machine.
    public static var native: Self { Self(profile: .native) }

    /// For services with high-value APIs: FAPI 2.0 Security Profile, Final.
    ///
    /// Set ``clientAuthentication`` to a private key or a certificate; the other settings already follow the profile.
    /// The client cannot be made with a setting that violates it. It rejects a server whose metadata does not promise
    /// pushed authorization requests, S256, `iss`, this client's authentication method, and this client's kind of token
    /// binding.
    public static var fapi2: Self {
        var configuration = Self(profile: .fapi2)
        configuration.idTokenAlgorithms = ClientProfile.signatureAlgorithms
        configuration.signedResponseAlgorithms = ClientProfile.signatureAlgorithms
        return configuration
    }

    private init(profile: ClientProfile) {
        self.init()
        self.profile = profile
    }
}
