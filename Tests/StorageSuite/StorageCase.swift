// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import ServerStorage
import Testing

/// A sentence that must be true for every driver.
package struct StorageCase: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    /// Tests it.
    package let run: @Sendable (StorageDriver) async throws -> Void

    /// A sentence about one store.
    init(_ sentence: String, _ body: @escaping @Sendable (any AuthorizationStorage) async throws -> Void) {
        testDescription = sentence
        run = { driver in
            try await driver.withStore { handles in try await body(#require(handles.first)) }
        }
    }

    /// A sentence about many tasks that use one store at once, through all its handles.
    init(race sentence: String, _ body: @escaping StorageDriver.Body) {
        testDescription = sentence
        run = { driver in try await driver.withStore(body) }
    }

    /// A sentence about two stores.
    init(
        twoStores sentence: String,
        _ body: @escaping @Sendable (any AuthorizationStorage, any AuthorizationStorage) async throws -> Void
    ) {
        testDescription = sentence
        run = { driver in
            try await driver.withStore { first in
                try await driver.withStore { second in
                    try await body(#require(first.first), #require(second.first))
                }
            }
        }
    }

    package static let all: [StorageCase] =
        accounts + administration + clientChanges + sessions + consents + browsers + requests + issuance
        + standingAnswers + endedSessions + redemption + rotation + keptTokens + grace + revocation + replay + nonces
        + clock + expiry
        + races + isolation
        + repeats + recording + reads
        + signingKeys + devices + exchanges + ownGrants + accessTokens + registration + firstParty + firstPartyRaces
        + attempts
}
