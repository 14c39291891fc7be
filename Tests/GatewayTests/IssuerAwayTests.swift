// SPDX-License-Identifier: Apache-2.0

import Gateway
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// An issuer with metadata and keys, until it goes away.
private final class Issuer: HTTPTransport {
    private let keys: JWKSet
    private let away = Mutex(false)

    init(_ keys: JWKSet) {
        self.keys = keys
    }

    var isAway: Bool {
        get { away.withLock(\.self) }
        set { away.withLock { $0 = newValue } }
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        guard !isAway else { throw OAuthCoreError(.transportFailed, "nothing answers") }
        let address = GatewayStage.issuer + "/jwks"
        let document: JSONObject =
            request.target == address
            ? keys.json : ["issuer": .string(GatewayStage.issuer), "jwks_uri": .string(address)]
        return HTTPResponse(status: 200, body: JSONValue.object(document).encoded())
    }
}

@Suite("Gateway: the issuer is away")
struct IssuerAwayTests {
    @Test func `its keys are used for an hour more, and then nothing passes until it is back`() async throws {
        let clock = FixedClock()
        let issuer = Issuer(JWKSet([try TestKey.p256(1).publicKey.named("key-1", algorithm: .es256)]))
        let keys = IssuerKeys(of: try URI(parsing: GatewayStage.issuer), transport: issuer, clock: clock)
        let stage = try GatewayStage(keys: keys, clock: clock)
        #expect(try await stage.status(stage.honest()) == 200)
        issuer.isAway = true
        clock.advance(by: .seconds(59 * 60))
        // One whose signature is remembered when the hour is over.
        let remembered = try await stage.accessToken {
            $0["exp"] = .number(JSONNumber(clock.now().secondsSince1970 + 9000))
        }
        #expect(try await stage.status(stage.honest(token: remembered)) == 200)
        clock.advance(by: .seconds(2 * 60))
        for token in [remembered, try await stage.accessToken()] {
            let answer = await stage.engine.respond(to: try await stage.honest(token: token))
            #expect(answer.status == 503)
            #expect(answer.fields["Retry-After"] == "2")
            #expect(answer.fields["X-Keybound-Subject"] == nil)
        }
        // Paths that need no token are open all the same.
        #expect(await stage.status(stage.question("/health")) == 200)
        issuer.isAway = false
        clock.advance(by: .seconds(11))
        #expect(try await stage.status(stage.honest(token: remembered)) == 200)
    }
}
