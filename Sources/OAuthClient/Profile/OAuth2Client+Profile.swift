// SPDX-License-Identifier: Apache-2.0

import OAuthCore

extension OAuth2Client {
    /// Checks the settings of a client against its profile.
    static func requireProfile(of client: ProfiledClient) throws(OAuthClientError) {
        guard let profile = client.configuration.profile,
            let violation = ProfileRule.firstViolation(of: profile.clientRules, by: client, profile)
        else { return }
        throw OAuthClientError(
            .profileContradicted,
            "a setting of the client contradicts its profile: \(violation)",
            underlying: violation
        )
    }

    /// Checks the metadata of a server against the profile.
    func requireProfile(of metadata: AuthorizationServerMetadata) throws(OAuthClientError) {
        guard let profile = configuration.profile else { return }
        let client = ProfiledClient(configuration: configuration, issuer: issuer, redirectURI: parsedRedirectURI)
        let server = ProfiledServer(metadata: metadata, client: client)
        guard let violation = ProfileRule.firstViolation(of: profile.serverRules, by: server, profile) else { return }
        throw OAuthClientError(
            .serverBelowProfile,
            "the server does not satisfy the profile: \(violation)",
            underlying: violation
        )
    }
}
