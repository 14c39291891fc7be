// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import OAuthSystem
import SigningKeys
import TestSupport
import Testing

/// One process after the other on one device, with a server that takes a repeated refresh token for a theft.
struct FaultDevice {
    let server = FakeServer()
    let keys = MemoryKeyStore()
    let store = MemoryTokenStore()
    let clock = FixedClock()
    let account = ClientAccount(issuer: FakeServer.issuer, clientID: "my-app")

    init(forgiving: Bool) async {
        await server.change { rules in
            rules.takesRepetitionForTheft = true
            rules.forgivesOneRepetition = forgiving
        }
    }

    func process(_ plan: FaultPlan) throws -> OAuth2Client {
        try OAuth2Client(
            issuer: FakeServer.issuer,
            clientID: "my-app",
            redirectURI: "com.example.app:/callback",
            keyStore: keys,
            tokenStore: FaultTokenStore(store: store, plan: plan),
            transport: FaultTransport(server: server, plan: plan),
            clock: clock,
            monotonicClock: FixedElapsedTime(),
            entropy: SystemEntropy()
        )
    }

    /// A process with a session whose access token has expired, and that has fetched the metadata.
    func expiredSession(_ plan: FaultPlan) async throws -> OAuthSession {
        _ = try await process(FaultPlan()).signIn(scopes: ["api:read"], using: ApprovingUser(server: server))
        clock.advance(by: .seconds(400))
        let client = try process(plan)
        return try #require(try await client.restoreSession())
    }
}
