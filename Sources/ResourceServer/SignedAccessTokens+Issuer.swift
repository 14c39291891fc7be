// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore

extension SignedAccessTokens {
    /// How the tokens of one issuer are verified.
    ///
    /// A class, so that an entry of the cache can name it without a copy.
    final class Issuer: Sendable {
        /// `iss` of its tokens.
        let name: String
        let profile: AccessTokenProfile
        let validation: JWTValidation
        let keys: any JWKSetSource

        /// Reads what a configuration says about its first issuer.
        init(_ configuration: GuardConfiguration, keys: any JWKSetSource) {
            name = configuration.issuer
            profile = configuration.tokenProfile
            validation = profile.validation(
                issuer: configuration.issuer,
                audience: configuration.audience,
                algorithms: configuration.tokenAlgorithms,
                leeway: configuration.leeway
            )
            self.keys = keys
        }

        /// Reads what a configuration says about a further issuer.
        init(_ further: AcceptedIssuer, _ configuration: GuardConfiguration) {
            name = further.issuer
            profile = further.tokenProfile
            validation = profile.validation(
                issuer: further.issuer,
                audience: further.audience ?? configuration.audience,
                algorithms: further.tokenAlgorithms,
                leeway: configuration.leeway
            )
            keys = further.keys
        }
    }
}
