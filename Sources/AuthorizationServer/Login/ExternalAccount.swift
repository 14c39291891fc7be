// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage
import StrictJSON

/// The account of a user of the external login provider: a name for the pages, and no password.
enum ExternalAccount {
    /// Stores the account at the user's first login, and the claims at each one that says some.
    ///
    /// The user name is the one that the provider sent at that time. If another account here has it, the subject is
    /// used.
    static func store(
        subject: String,
        name: String,
        claims: JSONObject?,
        _ services: Services,
        at now: Timestamp
    ) async throws(ProtocolFailure) {
        if let stored = try await services.stored({ try await $0.user(subject: subject) }) {
            return try await update(stored, claims, services)
        }
        // RFC 9068 section 5: an API must not mistake a user for a client.
        guard try await services.stored({ try await $0.client(subject) }) == nil else {
            services.report("the sub of a person is the client_id of a client")
            throw ExternalLoginResponse.refused("the sub is the name of an app")
        }
        for username in [Username.stored(name), subject] where !username.isEmpty {
            let account = UserAccount(
                subject: subject,
                username: username,
                passwordHash: PasswordHash(ofNothing: services.entropy),
                createdAt: now,
                claims: claims ?? JSONObject()
            )
            if try await services.stored({ try await $0.add(account) }) { return }
            // A concurrent request of the same user may have stored the account first.
            if let stored = try await services.stored({ try await $0.user(subject: subject) }) {
                return try await update(stored, claims, services)
            }
        }
        services.report("the name and the subject of a person are names of others")
        throw .unavailable
    }

    /// Replaces the claims of a user, whoever set them before.
    private static func update(
        _ account: UserAccount,
        _ claims: JSONObject?,
        _ services: Services
    ) async throws(ProtocolFailure) {
        guard let claims, claims != account.claims else { return }
        let subject = account.subject
        guard try await services.stored({ try await $0.setClaims(claims, of: subject, replacing: nil) }) else {
            throw .unavailable
        }
    }
}
