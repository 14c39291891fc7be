// SPDX-License-Identifier: Apache-2.0

extension OAuth2ClientConfiguration {
    /// For apps and command lines on users' devices: a public client whose tokens are bound to a key.
    ///
    /// The client cannot be made with a setting against RFC 8252 and RFC 9700, and refuses a server whose metadata does not
    /// name S256, the algorithm of its DPoP proofs, and that answers have `iss`. A server that does all that and does not
    /// say so is for a configuration without a profile, which tries.
    ///
    /// ``allowsInsecureHTTPOnLoopback`` may still be set, for a server on the developer's own machine.
    public static var native: Self { Self(profile: .native) }

    /// For services with high-value APIs: FAPI 2.0 Security Profile, Final.
    ///
    /// Set ``clientAuthentication`` to a private key or a certificate; other settings of the profile hold already. The client
    /// cannot be made with a setting against it, and refuses a server whose metadata does not promise pushed authorization
    /// requests, S256, `iss`, this client's authentication method, and tokens bound in this client's way.
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
