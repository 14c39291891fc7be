// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// The claims about the user in the tokens of one response, as they are stored at that time.
struct ReleasedClaims: Sendable {
    /// Those of the ID token (OpenID Connect Core sections 2 and 5.4).
    private(set) var idToken = JSONObject()
    /// Those of the access token (RFC 9068 section 2.2.3).
    private(set) var accessToken = JSONObject()

    /// Reads the user, unless the tokens have no claim of one.
    ///
    /// - Parameters:
    ///   - grant: The grant of the tokens.
    ///   - access: The access of the access token: its scope decides what is released.
    ///   - hasIDToken: Whether there is an ID token.
    ///   - services: The services of the server.
    /// - Throws: A failure of the storage.
    init(
        under grant: Grant,
        _ access: GrantedAccess,
        hasIDToken: Bool,
        _ services: Services
    ) async throws(ProtocolFailure) {
        let (configuration, scope) = (services.configuration, access.scope)
        let hasName = hasIDToken && scope.contains(Scope.profileName)
        let names = hasIDToken ? configuration.claimNames(releasedBy: scope) : []
        let namesForAPI = configuration.claimNames(releasedBy: scope, to: access.target)
        // A client that acts for itself is nobody.
        guard !grant.isOfClientItself, hasName || !names.isEmpty || !namesForAPI.isEmpty else { return }
        let subject = grant.subject
        guard let user = try await services.stored({ try await $0.user(subject: subject) }) else { return }
        if hasName { idToken["preferred_username"] = .string(user.username) }
        idToken.addMissing(user.claims.only(names))
        accessToken = user.claims.only(namesForAPI)
    }
}
