// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import OAuthCore
import OAuthSystem
import ServerStorage
import TestSupport
import Testing

@Suite("First-party clients, OAuth 2.0 for First-Party Applications section 9.1")
struct FirstPartyClientTests {
    private let storage = MemoryAuthorizationStorage()

    private var administration: ServerAdministration {
        ServerAdministration(storage: storage, clock: FixedClock(), entropy: SeededEntropy())
    }

    /// What `keybound client add --first-party` registers.
    private func client() throws -> RegisteredClient {
        var client = try ServerUnderTest.client("own", redirectURIs: ["com.example.own:/callback"])
        client.isFirstParty = true
        client.dpopBoundAuthorizationCodes = true
        return client
    }

    @Test func `an operator registers an app that gets codes and tokens for its key alone`() async throws {
        try await administration.addClient(client())
        #expect(storage.client("own")?.isFirstParty == true)
    }

    @Test func `a first-party app is rejected without one of what it needs`() async throws {
        let faults: [@Sendable (inout RegisteredClient) -> Void] = [
            { $0.dpopBoundAuthorizationCodes = false }, { $0.dpopBoundAccessTokens = false },
            { $0.grantTypes = [.deviceCode] }, { $0.noncePolicy = .off }, { $0.noncePolicy = .onSkew },
            { $0.origin = .registeredItself }, { $0.origin = .document },
        ]
        for fault in faults {
            var client = try client()
            fault(&client)
            let faulty = client
            let error = await #expect(throws: AuthorizationServerError.self) {
                try await administration.addClient(faulty)
            }
            #expect(error?.code == .invalidValue)
        }
    }

    @Test(arguments: [29, 901])
    func `a sign-in takes 30 seconds to 15 minutes`(seconds: Int) async throws {
        let error = await #expect(throws: AuthorizationServerError.self) {
            _ = try await FirstPartyApp.server { $0.firstParty.sessionLifetime = .seconds(seconds) }
        }
        #expect(error?.code == .invalidConfiguration)
    }
}
