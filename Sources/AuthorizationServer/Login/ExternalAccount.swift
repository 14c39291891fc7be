// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

/// The account of a person whom a login system knows: a name for the pages, and no password.
enum ExternalAccount {
    /// Stores the account when the person comes for the first time.
    ///
    /// The name is the one of that time. When somebody else has it here, the subject stands in its place.
    static func store(
        subject: String,
        name: String,
        _ services: Services,
        at now: Timestamp
    ) async throws(ProtocolFailure) {
        guard try await services.stored({ try await $0.user(subject: subject) }) == nil else { return }
        // RFC 9068 section 5: an API must not take a person for a client.
        guard try await services.stored({ try await $0.client(subject) }) == nil else {
            services.report("the sub of a person is the client_id of a client")
            throw ExternalLoginResponse.refused("the sub is the name of an app")
        }
        for username in [Username.stored(name), subject] where !username.isEmpty {
            let account = UserAccount(
                subject: subject,
                username: username,
                passwordHash: PasswordHash(ofNothing: services.entropy),
                createdAt: now
            )
            if try await services.stored({ try await $0.add(account) }) { return }
            // Another request of the same person may have been first.
            if try await services.stored({ try await $0.user(subject: subject) }) != nil { return }
        }
        services.report("the name and the subject of a person are names of others")
        throw .unavailable
    }
}
